#!/usr/bin/env python3
"""tutorial_walk.py <build folder> <project root>: does what docs/tutorial.md tells, in its order, and finds each line of its
outputs in what the programs print now; times, names by chance and dates may be others."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

build, root = map(os.path.realpath, sys.argv[1:3])
place = tempfile.mkdtemp()
os.chmod(place, 0o755)
os.chdir(place)
os.environ.update(PATH=f"{build}/bin:{os.environ['PATH']}", OPGRADE_DATA=f"{build}/data", HOME=place)
for name in ("http_proxy", "https_proxy", "OPGRADE_TOKEN", "XDG_CONFIG_HOME"):
    os.environ.pop(name, None)
text = open(f"{root}/docs/tutorial.md").read()
failures = []
said = ""  # by the commands since the last output of the page
server = None


def run(command, given=None):
    global said
    done = subprocess.run(command, shell=True, input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=900)
    print(f"$ {command}\n{done.stdout}")
    said += done.stdout


def shape(line):
    """A line without what is another one each time."""
    for pattern, name in ((r"[\d.]+(e[+-]?\d+)? (ms|s|min)\b", "TIME"), (r"[\d.]+ %", "SHARE"), (r"[a-z]+-[a-z]+-\d{3}\b", "ALIAS"),
                          (r"\w{3} \d{4}-\d\d-\d\d", "DATE"), (r"^(->)? +\d+ +", "RANK "), (r"rank \d of", "rank N of"),
                          (r"; TIME \(SHARE\) behind the next", ""), (r"; the next one in TIME", "")):
        line = re.sub(pattern, name, line)
    return re.sub(r"\s+", " ", line).strip()


def compare(output):
    """Each line of the page, in its order."""
    global said
    # Lines are wrapped to a terminal's width, which texts of other lengths move.
    now = re.sub(r"\s+", " ", " ".join(shape(line) for line in said.splitlines()))
    at = 0
    for line in output.splitlines():
        wanted = shape(line)
        if not wanted or wanted == "[...]":
            continue
        found = now.find(wanted, at)
        if found < 0:
            failures.append(f"docs/tutorial.md has '{line}', which no program printed")
        else:
            at = found + len(wanted)
    said = ""


def edit(path, old, new):
    before = open(path).read()
    if old not in before:
        failures.append(f"{path} lacks '{old}'")
    open(path, "w").write(before.replace(old, new))


seed = re.search(r"--seed (\d+)", text).group(1)
CHECK = f"opgrade check my-conv --only cpu --seed {seed}"
SOURCE = "my-conv/cpu-new-forward.cc"


def hand_ins():
    """What the page tells of the three submissions."""
    for name in ("ada", "charles", "grace"):
        shutil.copytree("my-conv", f"handed-in/{name}")
    edit("handed-in/grace/cpu-new-forward.cc", "p < K", "p < 7")
    edit("handed-in/grace/cpu-new-forward.cc", "q < K", "q < 7")
    # Another content: a faster solution.
    shutil.copy(f"{root}/reference/solution/minidnn-1/cpu-new-forward.cc", "handed-in/charles/")


def serve(command):
    global server
    log = open("server.log", "w+")
    server = subprocess.Popen(f"exec {command} --listen 127.0.0.1:0 --interval 0", shell=True, stdout=log, stderr=log)
    for _ in range(600):
        found = re.search(r"http://\S+:\d+", open("server.log").read())
        if found:
            return found.group(0)
        if server.poll() is not None:
            sys.exit("the server ended: " + open("server.log").read())
        try:
            server.wait(0.1)
        except subprocess.TimeoutExpired:
            pass
    sys.exit("the server does not begin")


url = ""
# Blocks of the page: commands and files by four blanks, outputs and code between fences.
blocks = re.findall(r"^```\n(.*?)^```$|((?:^    [^\n]*\n|^\n(?=    ))+)", text, re.M | re.S)
try:
    for fenced, indented in blocks:
        if "for (int b = 0" in fenced:
            edit(SOURCE, "// Insert your CPU convolution here.", fenced)
            run(CHECK)
        elif fenced.startswith("PASSED"):
            edit(SOURCE, "p < 7", "p < K")
            edit(SOURCE, "q < 7", "q < K")
            said = ""
            run(CHECK)
            compare(fenced)
        elif fenced:
            compare(fenced)
        elif indented.lstrip().startswith("opgrade: 1"):
            open("gpu/m1.yaml", "w").write(re.sub(r"^    ", "", indented, flags=re.M))
            edit("gpu/course.yaml", "config: self-check              #", "config: m1.yaml #")
            edit("gpu/course.yaml", re.search(r"deadline: (.*? 23:59)", open("gpu/course.yaml").read()).group(1), "2090-12-11 23:59")
            edit("gpu/roster.csv", "m1=2 d", "m1=2090-12-13 23:59")
        else:
            for command in re.sub(r"^    ", "", indented, flags=re.M).strip().splitlines():
                if command == "opgrade check my-conv --only cpu":
                    run(CHECK)
                    if "got NaN, want " not in said:
                        failures.append("an empty function gives no NaN")
                    said = ""
                elif command.startswith("opgrade serve"):
                    url = serve(command)
                elif command.startswith("opgrade login"):
                    token = re.search(r"^grace,.*,(\w+)", open("tokens.csv").read(), re.M).group(1)
                    run(f"opgrade login --server {url}", token + "\n")
                    said = ""
                else:
                    if command.endswith("add gpu m1 handed-in"):
                        hand_ins()
                    run(command)
finally:
    if server is not None:
        server.terminate()
        server.wait()
    shutil.rmtree(place)
for failure in failures:
    print("FAILED:", failure)
print(f"docs/tutorial.md: {len(blocks)} blocks, {len(failures)} failures")
sys.exit(1 if failures else 0)
