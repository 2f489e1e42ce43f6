#!/usr/bin/env bash
# Practice runs of a class on the course's GPU: eight students, three runs each under three tools, six hand-ins between. Needs
# bash, python3 and opgrade's programs (a build or an install folder); a table stands at the end; exit code 0 if no line of
# it failed. Times are printed, never judged.
#   tests/gpu/practice.sh FOLDER             on a machine with a GPU: about five minutes
#   tests/gpu/practice.sh FOLDER emulated    elsewhere, with a stand-in for the tools
# cheap      a run has no more timed calls than a hand-in of the same cases
# waits      while a hand-in waits, no practice run begins, and at most one call of one ran on
# runs       each run is graded once and all of them end
# tables     kernels, API calls and their counts equal those of `opgrade profile` by hand
# lines      reports under Nsight Compute have the shares of its samples by line
# files      `ncu --import` and `nsys stats` open what came back
# nothing left   processes, device memory, temporary files
# KEEP=FOLDER keeps the course there. OPGRADE_DATA names the folder with fmnist-86.h5.
set -u
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(cd "${1:?the build or install folder}" && pwd)
emulated=${2:-}
[[ -z $emulated || $emulated == emulated ]] || { echo "the second word is 'emulated' or nothing"; exit 2; }
export PATH=$prefix/bin:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/practice-XXXXXX")
chmod 755 "$work"
: "${OPGRADE_DATA:=$prefix/data}"
[[ -e $OPGRADE_DATA/fmnist-86.h5 ]] || OPGRADE_DATA=$work/data
export OPGRADE_DATA HOME=$work
unset http_proxy https_proxy HTTPS_PROXY OPGRADE_TOKEN
server=
leave() {
  [[ -z $server ]] || kill "$server" 2>/dev/null
  [[ -z ${KEEP:-} ]] || cp -r "$work" "$KEEP"
  rm -rf "$work"
}
trap leave EXIT
cd "$work" || exit 1
began=$SECONDS
students=8 hand_ins=6
lines=() failed=0
result() {  # result ok|FAILED|none NAME TEXT
  lines+=("$(printf '%-8s %-13s %s' "$1" "$2" "$3")")
  [[ $1 != FAILED ]] || failed=$((failed + 1))
}
die() { echo "practice.sh: $1" >&2; [[ ! -s server.err ]] || tail -n 20 server.err >&2; exit 1; }
# Of the devices that this script may use: others have work of their own.
memory() { nvidia-smi ${CUDA_VISIBLE_DEVICES:+-i "$CUDA_VISIBLE_DEVICES"} --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null | paste -sd' '; }
left_in_tmp() { find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'opgrade-*' ! -name '*.lock' 2>/dev/null | sort; }

device=cuda emulation=()
if [[ -n $emulated ]]; then
  device=emulated emulation=(--device emulated)
  cp -r "$here/../service/tool" tool
  chmod -R a+rX tool
  export OPGRADE_NCU=$work/tool/stand_in OPGRADE_NSYS=$work/tool/stand_in
fi
opgrade doctor >doctor.txt 2>&1
grep -E 'Nsight|compute-sanitizer|counters|GPU |NVreg' doctor.txt
tool_of() { sed -nE "s/^ok +$1 +(\/.*)/\1/p" doctor.txt; }
ncu=$(tool_of 'Nsight Compute') nsys=$(tool_of 'Nsight Systems')
# Three tools: the profiler, Nsight Compute, and Nsight Systems if there is one, else compute-sanitizer.
third=sanitizer third_option=--sanitize
[[ -z $nsys ]] || third=nsys third_option=--nsys
if [[ ! -e $OPGRADE_DATA/fmnist-86.h5 ]]; then
  mkdir -p "$OPGRADE_DATA"
  opgrade data >data.txt 2>&1 || die "no data: $(tail -n 2 data.txt)"
fi

# A course whose practice has batches of the milestone; few repetitions, because nothing is decided.
{
  printf 'opgrade: 1\nname: practice\ninterface: minidnn-3\npass_mark: 1\n'
  printf 'limits:\n  build: {wall: 60 s}\n  run: {wall: 30 s}\ntiming: {repetitions: 5}\n'
  printf 'models:\n  high: {network: fmnist-86, weights: fmnist-86-high}\n'
  printf 'stages:\n  - name: gpu\n    title: GPU convolution\n    device: cuda\n    cases:\n'
  if [[ -n $emulated ]]; then printf '      - {model: high, batch: 1, points: 5}\n'
  else printf '      - {model: high, batch: %s, points: 5}\n' '100, accuracy: 0.86' '1000, accuracy: 0.886'; fi
  printf '    random_shapes: {count: 2, points: 5}\n'
} >config.yaml
opgrade course init course >/dev/null || die "no course"
cp config.yaml course/config.yaml
cat >course/course.yaml <<END
opgrade_course: 1
title: Practice
time_zone: UTC
assignments:
  - name: m1
    title: Milestone 1
    config: ./config.yaml
    deadline: 2099-01-01 12:00
    counts: best
    practice: {config: ./config.yaml, device: $device, a_day: 50, gpu_time: 2 min, tools: [profile, sanitizer, ncu, nsys], keep_days: 1}
END
echo "id,login,name" >course/roster.csv
for ((s = 1; s <= students; ++s)); do echo "$s,s$s,Student $s"; done >>course/roster.csv
opgrade course tokens course | tr -d '\r' >tokens.csv || die "no tokens"
opgrade course tokens course --staff sam | tr -d '\r' | tail -n 1 >>tokens.csv
token() { awk -F, -v login="$1" '$1 == login { print $4 }' tokens.csv; }
solution=$prefix/share/opgrade/reference_solution/minidnn-3
[[ -d $solution ]] || solution=$here/../../reference/solution/minidnn-3
# Two versions, so that a mix-up of runs shows: the second launches one kernel more.
for s in $(seq $students); do
  cp -rL "$solution" "s$s"
  sed -i "1i // of s$s" "s$s/new-forward.cu"
  ((s % 2)) || sed -i 's/^  *conv_forward_kernel<<<.*$/  warm_up<<<1, 1>>>(device_y);\n&/; s/^__global__ void conv_forward_kernel/__global__ void warm_up(float* y) { y[0] = 0; }\n\n&/' "s$s/new-forward.cu"
done
grep -q 'warm_up<<<' s2/new-forward.cu || die "the reference solution has no launch to put another before"

memory_before=$(memory)
tmp_before=$(left_in_tmp)
opgrade serve course --listen 127.0.0.1:0 --interval 0 --workers 2 "${emulation[@]}" >server.log 2>server.err &
server=$!
for ((i = 0; i < 600; ++i)); do
  grep -q 'is served at' server.log 2>/dev/null && break
  kill -0 $server 2>/dev/null || die "the server ended"
  sleep 0.1
done
url=http://127.0.0.1:$(sed -nE 's/.*:([0-9]+);.*/\1/p' server.log)
student() { OPGRADE_TOKEN=$(token "$1") opgrade "$2" --server "$url" "${@:3}"; }
waiting() { student sam queue | head -n 1; }

declare -A run_of
for tool in --profile "--ncu conv_forward_kernel" $third_option; do
  for s in $(seq $students); do
    # shellcheck disable=SC2086
    run=$(student "s$s" submit "s$s" --assignment m1 --practice $tool --detach --quiet 2>>submit.err) || die "s$s: $(tail -n 2 submit.err)"
    run_of["$s ${tool%% *}"]=$run
  done
  sleep 1  # the same files of one student in one second are one submission
done
for ((h = 1; h <= hand_ins; ++h)); do
  sleep 6
  mkdir -p "h$h" && cp -rL "s$h/." "h$h/" && echo "// hand-in $h" >>"h$h/new-forward.cu"
  handed=$(student "s$h" submit "h$h" --assignment m1 --detach --quiet 2>>submit.err) || die "hand-in $h: $(tail -n 2 submit.err)"
  ((h > 1)) || first_hand_in=$handed
done
plain=$(student s1 submit s1 --assignment m1 --practice --detach --quiet 2>>submit.err) || die "a run without a tool: $(tail -n 2 submit.err)"
for ((i = 0; i < 2000; ++i)); do
  [[ $(waiting) == "0 waiting, 0 being graded"* ]] && break
  sleep 0.2
done
seconds=$((SECONDS - began))

# What came back, and the same by hand for each of the two versions.
for s in $(seq $students); do
  for tool in --profile --ncu $third_option; do student "s$s" fetch --run "${run_of["$s $tool"]}" --out "run-$s$tool" >/dev/null 2>>fetch.err; done
done
student s1 fetch --run "$plain" --out run-plain >/dev/null 2>>fetch.err
student s1 fetch --run "$first_hand_in" --out run-hand-in >/dev/null 2>>fetch.err
kill -TERM $server
if wait $server; then result ok server "ended well after $seconds s"; else result FAILED server "exit code $?"; fi
server=
for s in 1 2; do
  opgrade profile "s$s" --config config.yaml --csv --quiet "${emulation[@]}" >"hand-$s.csv" 2>>hand.err || result FAILED tables "opgrade profile s$s: $(tail -n 1 hand.err)"
done
python3 - "$students" <<'PYTHON'
import csv
import io
import json
import sqlite3
import sys

students = int(sys.argv[1])
out = open("judged", "w")
def result(good, name, text):
    print("ok" if good else "FAILED", name, text, sep="\t", file=out)

db = sqlite3.connect("course/course.db")
runs = db.execute(
    "SELECT s.id, s.assignment LIKE 'practice.%', h.queued, h.state, h.tool FROM submission s JOIN hand_in h ON h.submission = s.id").fetchall()
parts = db.execute("SELECT submission, begun, ended FROM worker_run").fetchall()
practice = {id for id, is_practice, *_ in runs if is_practice}
rest = []
bad = []
for id, is_practice, queued, *_ in runs:
    if is_practice:
        continue
    begun = min(b for s, b, _ in parts if s == id)
    # Whole seconds: a run that began in the hand-in's own second may have begun before it.
    late = [s for s, b, _ in parts if s in practice and queued < b < begun]
    others = sum(max(0, min(e, begun) - max(b, queued)) for s, b, e in parts if s not in practice and s != id)
    rest.append(max(0, begun - queued - others))
    if late:
        bad.append(f"practice run {late[0]} began while hand-in {id} waited")
result(not bad, "waits", bad[0] if bad else f"beyond other hand-ins {', '.join(f'{r} s' for r in rest)}")
graded = dict(db.execute("SELECT submission, COUNT(*) FROM attempt GROUP BY submission"))
twice = [id for id, *_ in runs if graded.get(id) != 1]
undone = [id for id, _, _, state, _ in runs if state != "done"]
outcomes = dict(db.execute("SELECT outcome, COUNT(*) FROM attempt GROUP BY outcome"))
result(not twice and not undone, "runs", f"{len(practice)} practice runs, {len(runs) - len(practice)} hand-ins, {outcomes}; "
       f"not graded once: {twice}, not done: {undone}, {sum(e - b for s, b, e in parts if s in practice)} s of practice in {len([1 for s, *_ in parts if s in practice])} parts")

def timed_calls(report):
    return {c["id"]: sum(len(call["op_time"]["samples_ms"]) for call in c["convs"])
            for stage in report["stages"] for c in stage["cases"] if c["batch"]}
try:
    run, handed = (timed_calls(json.load(open(f"run-{name}/report.json"))) for name in ("plain", "hand-in"))
    more = [c for c in handed if run.get(c, 0) > handed[c]]
    fewer = sum(run.values()) < sum(handed.values()) or not sum(handed.values())  # the emulated device times nothing
    result(run.keys() == handed.keys() and not more and fewer, "cheap",
           f"{sum(run.values())} timed calls in a practice run, {sum(handed.values())} in a hand-in")
except (OSError, ValueError, KeyError) as e:
    result(False, "cheap", str(e))

def counts(text):
    """Names and counts in each table of kernels and API calls, whose title row comes first. Times differ from run to run."""
    tables, titles = {}, {}
    for row in csv.reader(io.StringIO(text)):
        if not row or not row[0].startswith(("kernels ", "api_calls ")):
            continue
        if row[0] not in titles:
            titles[row[0]] = row
            tables[row[0]] = {}
            continue
        cells = dict(zip(titles[row[0]], row))
        if cells["name"] != "together":
            tables[row[0]][cells["name"]] = cells["calls"]
    return tables
different = []
size = 0
for s in range(1, students + 1):
    try:
        came, hand = counts(open(f"run-{s}--profile/tables.csv").read()), counts(open(f"hand-{2 - s % 2}.csv").read())
    except OSError as e:
        different.append(str(e))
        continue
    size = sum(len(t) for t in hand.values())
    for name, table in hand.items():
        if came.get(name) != table:
            different.append(f"s{s}, {name}: {came.get(name)} is not {table}")
result(size > 0 and not different, "tables", different[0] if different else f"{students} runs, {size} rows each")
PYTHON
while IFS=$'\t' read -r mark name text; do result "$mark" "$name" "$text"; done <judged
[[ -s judged ]] || result FAILED judge "python3 ended early"

files() {  # files NAME TOOL OPTION ENDING OPEN...
  local name=$1 tool=$2 option=$3 ending=$4 good=0 said s
  [[ -n $tool ]] || { result none "$name" "not installed here, so not tried"; return; }
  for s in $(seq $students); do
    if "$tool" "${@:5}" "run-$s$option/profile.$ending" >opened.txt 2>&1; then good=$((good + 1)); cp opened.txt "opened-$name.txt"
    else said=$(tr '\n' ' ' <"run-$s$option/report.txt" 2>/dev/null | tr -s ' ' | grep -oE '(Nsight|gpu: Nsight)[^.]*\.' | head -n 1); fi
  done
  if ((good == students)); then result ok "$name" "$good files open, $(du -cb run-*"$option"/profile."$ending" | tail -n 1 | cut -f1) bytes"
  else result FAILED "$name" "$good of $students open; ${said:-$(tail -n 1 opened.txt)}"; fi
}
files ncu "$ncu" --ncu ncu-rep --import
[[ -z $ncu ]] || grep -q conv_forward_kernel opened-ncu.txt 2>/dev/null || result FAILED ncu "no conv_forward_kernel in the file"
if [[ -n $ncu ]]; then
  by_line=$(grep -l 'conv_forward_kernel by' run-*--ncu/report.txt 2>/dev/null | wc -l)
  [[ $by_line == "$students" ]] && mark=ok || mark=FAILED
  result "$mark" lines "$by_line of $students reports have shares by line; $(tr -s ' \n' ' ' <run-1--ncu/report.txt 2>/dev/null | grep -oE 'by line: [^%]*%' | head -n 1)"
fi
if [[ $third == nsys ]]; then files nsys "$nsys" --nsys nsys-rep stats
else
  found=$(grep -l 'compute-sanitizer found nothing' run-*--sanitize/report.txt 2>/dev/null | wc -l)
  [[ $found == "$students" ]] && mark=ok || mark=FAILED
  result "$mark" sanitizer "$found of $students reports say that it found nothing"
  result none nsys "not installed here, so not tried"
fi
labelled=$(grep -l 'never ranked' run-*--*/report.txt 2>/dev/null | wc -l)
[[ $labelled == $((3 * students)) ]] && mark=ok || mark=FAILED
result "$mark" labels "$labelled of $((3 * students)) reports say that their times are not ranked"

if pgrep -f "$work" | grep -vx $$ >left.txt; then
  # shellcheck disable=SC2046
  result FAILED "processes" "left: $(ps -o pid=,args= -p $(paste -sd, left.txt) | cut -c1-100 | paste -sd';')"
else result ok "processes" "none left"; fi
tmp_after=$(left_in_tmp)
if [[ $tmp_after == "$tmp_before" ]]; then
  result ok disk "nothing left in ${TMPDIR:-/tmp}; the course has $(du -sh course | cut -f1)"
else result FAILED disk "left: $(comm -13 <(echo "$tmp_before") <(echo "$tmp_after") | paste -sd' ')"; fi
if [[ -z $emulated ]]; then
  for ((i = 0; i < 50; ++i)); do [[ $(memory) == "$memory_before" ]] && break; sleep 0.2; done
  [[ $(memory) == "$memory_before" ]] && mark=ok || mark=FAILED
  result "$mark" "device" "MiB used before: $memory_before, after: $(memory)"
fi
echo
printf '%s\n' "${lines[@]}"
echo "$((SECONDS - began)) s, $failed failed"
((failed == 0))
