#!/usr/bin/env bash
# practice_run.sh <build folder> <project root>: a student's own run under the profiler, on the emulated device: its report and
# tables come back, and a hand-in has exactly its bytes. A run makes fewer timed calls than a hand-in.
set -euo pipefail
build=$(realpath "${1:?usage: practice_run.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: practice_run.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset http_proxy https_proxy HTTPS_PROXY OPGRADE_TOKEN
config=$root/tests/configs/cli-gpu.yaml make_course "$root" 2
sed -i "s|, counts: best}|, counts: best, practice: {config: $root/tests/configs/cli-gpu.yaml, tools: [profile]}}|" \
  course/course.yaml
echo "  - {name: m2, title: Milestone 2, config: $root/tests/configs/cli-timed.yaml, deadline: 2099-01-01 12:00, \
practice: $root/tests/configs/cli-timed.yaml}" >>course/course.yaml
sed -i 's|time_zone: UTC|time_zone: America/Chicago|' course/course.yaml
start_server --listen 127.0.0.1:0 --interval 0 --workers 1 --device emulated
fail() { echo "$1"; exit 1; }
student() { OPGRADE_TOKEN=$(token_of "$1") opgrade "$2" --server "$url" "${@:3}"; }
good=$root/reference/solution/minidnn-3

student s1 submit --quiet "$good" --assignment m1 --practice --profile >report || fail "the run did not pass"
student s1 fetch --run 1
for name in report.json report.txt report.html tables.md tables.csv files.*; do
  [[ -s run-1/$name || -s $(echo run-1/$name) ]] || fail "run-1 has no $name"
done
grep -q '"profile"' run-1/report.json || fail "the report has no profile"
grep -q 'never ranked' run-1/report.txt || fail "the report does not say that its times are no hand-in's"
student s1 fetch --run 1 2>said && fail "an older folder was overwritten"
grep -q 'is there already' said

student s2 fetch --run 1 2>said && fail "a student read another one's run"
student s2 submit --run 1 2>said && fail "a student handed in another one's run"
student s1 submit --quiet "$good" --assignment m1 --practice --sanitize 2>said && fail "the course does not offer this tool"
grep -q 'the tools of practice runs here are profile' said
student s1 submit --quiet "$good" --assignment m1 --profile 2>said && fail "a hand-in under a tool"
grep -q 'add --practice' said

student s1 submit --quiet --run 1 >/dev/null || fail "the hand-in of the run did not pass"
student s1 history >said || fail "no history"
head -n 1 said | grep -q 'number  *assignment  *handed in  *by  *verdict' || fail "the history has no head"
grep -q '^ *1  *practice.m1 ' said || fail "the practice run is not in the history"
grep -q '^ *[0-9]*  *m1 .*counts' said || fail "the hand-in is not in the history"
(($(grep -c '[0-9]:[0-9][0-9] C[DS]T' said) >= 2)) || fail "the history has no times of two submissions"
grep '[0-9]:[0-9]' said | grep -v ':[0-9][0-9] C[DS]T' && fail "a time is not by the course's clock"

# A practice run decides nothing, so it is cheaper than a hand-in: by the number of its timed calls.
mkdir cpu
cp "$root/tests/corpus/submissions/good/cpu-new-forward.cc" cpu/
# calls_of <number>: the timed calls of all layers of that submission, by case.
calls_of() {
  curl -s -H "Authorization: Bearer $(token_of s2)" "$url/api/submissions/$1/report" >"cpu-$1.json"
  python3 - "cpu-$1.json" <<'PYTHON'
import json, sys
grade = json.load(open(sys.argv[1]))
for case in grade["stages"][0]["cases"]:
    print(case["batch"], sum(len(call["op_time"]["samples_ms"]) for call in case["convs"]))
PYTHON
}
number() { student s2 history | awk -v name="$1" '$2 == name { print $1 }' | sort -n | tail -n 1; }
student s2 submit --quiet cpu --assignment m2 >/dev/null || fail "the hand-in did not pass"
student s2 submit --quiet cpu --assignment m2 --practice >/dev/null || fail "the practice run did not pass"
calls_of "$(number m2)" >hand-in.calls
calls_of "$(number practice.m2)" >run.calls
# Two layers a case.
diff hand-in.calls <(printf '1 30\n2 2\n3 30\n') || fail "a hand-in has other timed calls: $(cat hand-in.calls)"
diff run.calls <(printf '1 6\n2 2\n3 6\n') || fail "a practice run has other timed calls: $(cat run.calls)"
opgrade course verify course
