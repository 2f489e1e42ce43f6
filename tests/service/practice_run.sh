#!/usr/bin/env bash
# practice_run.sh <build folder> <project root>: a student's own run under the profiler, on the emulated device: its report and
# tables come back, and a hand-in has exactly its bytes.
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
opgrade course verify course
