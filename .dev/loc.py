#!/usr/bin/env python3
"""Lines of code without comments and blanks of a revision: loc.py REV [roots...] [--by]"""
import subprocess,sys,re,collections
args=[a for a in sys.argv[1:] if not a.startswith('--')]
rev=args[0]; roots=args[1:] or ['grader','tools','packaging']
by='--by' in sys.argv
depth=2
names=subprocess.run(['git','ls-tree','-r','-z',rev,'--']+roots,capture_output=True).stdout.decode().split('\0')
ext_c={'.cpp','.cc','.hpp','.h','.cu','.cuh','.c','.js','.css'}
ext_h={'.sh','.py','.cmake','.txt','.yaml','.yml','.sql','.html','.toml',''}
tot=collections.Counter()
items=[]
for l in names:
    if not l: continue
    meta,name=l.split('\t'); items.append((meta.split()[2],name))
p=subprocess.Popen(['git','cat-file','--batch'],stdin=subprocess.PIPE,stdout=subprocess.PIPE)
import threading
def feed():
    for s,_ in items: p.stdin.write((s+'\n').encode())
    p.stdin.close()
threading.Thread(target=feed).start()
for s,name in items:
    h=p.stdout.readline().split(); n=int(h[2]); data=p.stdout.read(n); p.stdout.read(1)
    e='.'+name.rsplit('.',1)[1] if '.' in name.rsplit('/',1)[-1] else ''
    try: t=data.decode()
    except: continue
    c=0
    if e in ext_c or e=='.in':
        inb=False
        for line in t.split('\n'):
            x=line.strip()
            if inb:
                if '*/' in x: inb=False; x=x.split('*/',1)[1].strip()
                else: continue
            if x.startswith('/*') and '*/' not in x: inb=True; continue
            if not x or x.startswith('//') or (x.startswith('/*') and x.endswith('*/')): continue
            c+=1
    elif e in ext_h:
        for line in t.split('\n'):
            x=line.strip()
            if not x or x.startswith('#') : continue
            c+=1
    else: continue
    tot['/'.join(name.split('/')[:depth])]+=c
    tot['TOTAL']+=c
if by:
    for k,v in sorted(tot.items()): print(f'{v:7} {k}')
else: print(tot['TOTAL'])
