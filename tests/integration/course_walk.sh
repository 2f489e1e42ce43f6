#!/usr/bin/env bash
# course_walk.sh <build folder> <project root>: a synthetic class goes through intake, grading, rejudge and
# gradebook while `kill -9` ends the grader: nothing is lost and nothing is graded twice. 12 students and 4 kills; 1000
# and 20 with OPGRADE_LONG_TESTS=1.
set -euo pipefail
build=$(realpath "${1:?usage: course_walk.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: course_walk.sh <build folder> <project root>}")
. "$root/tests/support/make_class.sh"
place=$(mktemp -d)
chmod 755 "$place"
trap 'rm -rf "$place"' EXIT
cd "$place"
export PATH=$build/bin:$PATH OPGRADE_DATA=$build/data
students=12 kills=4
if [[ ${OPGRADE_LONG_TESTS:-} == 1 ]]; then students=1000 kills=20; fi

fail() {
  echo "FAILED: $*"
  tail -n 20 said.txt 2>/dev/null || true
  exit 1
}
results() { find course/results -name report.json | wc -l; }
# Every result that is there now must be there, with the same bytes, at the end.
remember() { find course/results -name report.json -exec sha256sum {} + >>remembered.txt || true; }
# kill_after <results> <command...>: kills the command at a random moment after that many results.
kill_after() {
  local wanted=$1 pid
  shift
  "$@" >said.txt 2>&1 & pid=$!
  while (($(results) < wanted)); do
    kill -0 "$pid" 2>/dev/null || (($(results) >= wanted)) || fail "the command ended before it was killed: $*"
    sleep 0.05
  done
  sleep "0.$((RANDOM % 9))"
  kill -9 "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  remember
}

begin=$SECONDS
make_class "$root" course "$students" "$root/tests/configs/cli.yaml" >said.txt || fail "intake"
opgrade course verify course >said.txt || fail "database and files differ after the intake"
echo "$students students taken in, $((SECONDS - begin)) s"

for ((i = 1; i <= kills; i++)); do
  kill_after $((i * students / (kills + 2))) opgrade course grade course m1 --quiet
done
opgrade course grade course m1 --quiet >said.txt 2>&1 || fail "grading"
opgrade course verify course >said.txt || fail "database and files differ"
(($(results) == students)) || fail "$(results) results of $students students"
opgrade course gradebook course >graded.csv
[[ $(grep -c ',graded,' graded.csv) == "$students" ]] || fail "$(grep -vc ',graded,' graded.csv) are not graded"
echo "graded with $kills kills, $((SECONDS - begin)) s"

wrong=$(grep -rl '"outcome": *"wrong_output"' --include=report.json course/results | wc -l)
kill_after $((students + 1)) opgrade course rejudge course m1 --verdict wrong_output --reason "a test" --quiet
opgrade course rejudge course m1 --number 1 --quiet >said.txt 2>&1 || fail "the rejudge"
grep -q 'rejudge 1, open: 0 grades would change' said.txt || fail "the preview"
opgrade course rejudge course m1 --number 1 --apply >said.txt || fail "apply"
opgrade course gradebook course | diff graded.csv - || fail "the rejudge changed grades"
rejudged=$(($(results) - students))
((rejudged >= 1 && rejudged <= wrong)) || fail "$rejudged rejudged"
sed 's/points: 5/points: 50/; s/pass_mark: 5/pass_mark: 50/' "$root/tests/configs/cli.yaml" >trial.yaml
opgrade course rejudge course m1 --config ./trial.yaml --student s0000 --reason "more points" --quiet >said.txt 2>&1 ||
  fail "the trial of a config"
grep -q 's0000  *5 of 5 -> 50 of 50' said.txt || fail "the trial's preview"
grep -q 'config [^ ]*trial.yaml' course/results/m1/s0000/*/*/report.json || fail "the trial's reports repeat another config"
(cd / && opgrade course rejudge "$place/course" m1 --number 2 --quiet) >said.txt 2>&1 || fail "the trial from another folder"
! opgrade course rejudge course m1 --number 2 --apply >said.txt 2>&1 || fail "a config that course.yaml lacks was applied"
! opgrade course rejudge course m1 --number 2 --apply --cancel >said.txt 2>&1 || fail "both were done"
grep -q -e '--apply and --cancel exclude each other' said.txt || fail "the message names not both options"
! opgrade course rejudge course m1 --cancel >said.txt 2>&1 || fail "cancelled without a number"
grep -q -e '--cancel needs --number' said.txt || fail "the message does not name --number"
opgrade course rejudge course m1 --number 2 --cancel >said.txt || fail "cancel"
opgrade course gradebook course | diff graded.csv - || fail "a trial changed grades"
echo "rejudged $rejudged, $((SECONDS - begin)) s"

for format in canvas moodle gradescope; do
  opgrade course gradebook course --format "$format" >"$format.csv" 2>said.txt || fail "gradebook $format"
  (($(wc -l <"$format.csv") > students)) || fail "$format.csv has $(wc -l <"$format.csv") lines"
done
opgrade course export-code course m1 code >said.txt 2>&1 || fail "export-code"
[[ -s code/s0000/cpu-new-forward.cc ]] || fail "export-code wrote no sources"
cp -r course ranked
sed -i "s|config: $root/tests/configs/cli.yaml|config: 2019fa|" ranked/course.yaml
opgrade course rank ranked m1 >ranks.csv || fail "rank"
[[ $(grep -c 'not ranked because: its results have no stage' ranks.csv) == "$students" ]] || fail "rank: $(head -3 ranks.csv)"
sort -u remembered.txt | sha256sum --check --quiet || fail "a result was lost or changed"
opgrade course grade course m1 --quiet >said.txt 2>&1
grep -q "m1: 0 graded" said.txt || fail "graded again"
opgrade course verify course || fail "database and files differ"
echo "$students students, $kills kills and one in the rejudge: nothing lost, nothing twice; $((SECONDS - begin)) s"
