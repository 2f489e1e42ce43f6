#!/usr/bin/env bash
# course_walk.sh <build folder> <project root>: a task's folder as a course's assignment, from intake to export, through
# the service, in a bundle, and after a change of its reference.
set -euo pipefail
build=$(realpath "${1:?usage: course_walk.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: course_walk.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset OPGRADE_TOKEN XDG_CONFIG_HOME
# shellcheck source=tests/labs/steps.sh
source "$root/tests/labs/steps.sh"

lab=course/labs/reduction
config=labs/reduction make_course "$root" 3
mkdir -p course/labs in
cp -r "$root/labs/ece408/reduction" course/labs
cp -r $lab/solution in/s1
cp -r $lab/solution in/s2
printf '#include "reduction.h"\nvoid reduce(const float*, float* sum, int) { cudaMemset(sum, 255, 4); }\n' >in/s2/reduction.cu

run 0 'graded by course/labs/reduction: 100 points' opgrade course check course
run 0 '2 added' opgrade course add course m1 in
# A task that did not pass its own check grades nobody by accident.
run 2 'was not checked' opgrade course grade course m1 --quiet
run 2 ' --unchecked grades all the same' opgrade grade in/s1 --config $lab
run 0 'passed' opgrade grade in/s1 --config $lab --unchecked --out unchecked --quiet
run 0 'as expected' opgrade task check $lab --device emulated --mutants 0
run 0 'm1: grading the reference solution' opgrade course grade course m1
run 0 's2,2,Student 2,,,m1,40,100,graded' opgrade course gradebook course
run 0 '"2, Student",,2,s2,,40' opgrade course gradebook course --format canvas
run 0 'gpu/random: wrong output' opgrade course why course s2
run 0 "/labs/reduction/template code" opgrade course export-code course m1 code
report=$(find course/results/m1/s2 -name report.json -printf '%h')
for format in junit github sarif gradescope csv; do
  run 0 'gpu/random' opgrade show "$report" --format "$format"
done

# The same bytes give the same rules, wherever the folder lies.
rules=$(sha256sum <course/results/configs/*.yaml)
run 0 'autograde.tar' opgrade bundle autolab --config $lab --out autolab
mkdir unpacked
tar -C unpacked -xf autolab/autograde.tar
run 1 '40 of 100 points' opgrade check in/s2 --config unpacked/config.yaml --device emulated
run 0 "task: $(realpath $lab)" opgrade check-config $lab
opgrade grade in/s1 --config unpacked/config.yaml --out results --quiet >/dev/null
grep -q "${rules%% *}" results/s1/report.json ||
  { echo "a bundle grades by other rules"; failures=$((failures + 1)); }

# A student hands in. The submission waits until the task has passed its check.
mv $lab/.task-check record
start_server --listen 127.0.0.1:0 --workers 1 --interval 0
run 0 'logged in' opgrade login --server "$url" < <(token_of s3)
run 0 'Write reduction.cc and reduction.cu' opgrade init mine --task $lab
run 0 "m1: the task $(realpath $lab) was not checked, so its submissions wait" cat server.err
opgrade submit mine >waits.log 2>&1 &
waits=$!
helpers+=("$waits")
for ((i = 0; i < 600; ++i)); do grep -q 'waits for staff' waits.log && break; sleep 0.1; done
run 0 'waits for staff; position 1 of 1' cat waits.log
mv record $lab/.task-check
code=0
wait "$waits" || code=$?
run 0 'next:' cat waits.log
[[ $code -eq 1 ]] || { echo "the submission that waited: exit code $code"; failures=$((failures + 1)); }
cp $lab/solution/* mine
run 0 'PASSED' opgrade submit mine
run 0 '100 of 100' opgrade history
run 0 'm1: 2 submissions' curl -s -H "Authorization: Bearer $(token_of sam)" "$url/api/staff/audit"
kill -TERM "$server"
wait "$server" || { echo "the server did not end well"; failures=$((failures + 1)); }
server=

# What decides is another: no grade changes, and staff see what to do.
sed -i 's/total += x\[i\]/total += 1.0 * x[i]/' $lab/reference.cpp
run 0 'opgrade task diff course/results/configs/reduction-' opgrade course check course
kept=$(echo course/results/configs/reduction-*)
run 1 'reference.cpp' opgrade task diff "$kept" $lab
run 2 'changed after its last check: reference.cpp' opgrade course grade course m1 --quiet
run 0 'other rules than those of now' opgrade course grade course m1 --quiet --unchecked
sed -i 's/total += 1.0/total -= 1.0/' $lab/reference.cpp
run 1 'WRONG     solution' opgrade task check $lab --device emulated --mutants 0
run 2 'failed its check' opgrade course grade course m1 --quiet
run 0 's2,2,Student 2,,,m1,40,100,graded' opgrade course gradebook course
run 0 'database and files agree' opgrade course verify course
((failures == 0))
