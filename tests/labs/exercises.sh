#!/usr/bin/env bash
# exercises.sh <build folder> <project root>: several exercises in one hand-in, from the lecturer's config to the gradebook,
# and a case that runs only after the deadline.
set -euo pipefail
build=$(realpath "${1:?usage: exercises.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: exercises.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset OPGRADE_TOKEN XDG_CONFIG_HOME
# shellcheck source=tests/labs/steps.sh
source "$root/tests/labs/steps.sh"

labs=$root/labs/ece408
cat >hw.yaml <<YAML
opgrade: 1
name: hw1
title: Homework 1
exercises: [$labs/reduction, $labs/scan]
only: [reduction-cpu, scan-cpu]
pass_mark: 60
stages:
  - {name: reduction-cpu, random_shapes: {count: 3}}
  - name: scan-cpu
    random_shapes: {count: 3}
    cases: [{name: last, sizes: {n: 5000, kind: 1}, points: 20, run: at deadline}]
YAML
run 0 'files of scan-cpu: scan/scan.cc' opgrade check-config hw.yaml

# What students get has a folder for each, and can be checked as it is.
run 0 'Write reduction/reduction.cc and scan/scan.cc' opgrade init mine --task hw.yaml
for file in README.md reduction/{README.md,reduction.{cc,h}} scan/{README.md,scan.{cc,h}}; do
  [[ -f mine/$file ]] || { echo "a student gets no $file"; failures=$((failures + 1)); }
done
mkdir -p right/{reduction,scan} half/{reduction,scan} swapped flat
cp "$labs/reduction/solution/reduction.cc" right/reduction
cp "$labs/scan/solution/scan.cc" right/scan
cp right/reduction/* half/reduction
printf '#include "scan.h"\nvoid scan(const float*, float*, int) {}\n' >half/scan/scan.cc
cp right/*/*.cc flat
cp -r right/scan swapped/reduction
cp -r right/reduction swapped/scan

# A student sees which case waits; a lecturer's own grading runs it.
run 0 'runs after the deadline' opgrade check right --config hw.yaml
run 0 '80 of 100 points' opgrade check right --config hw.yaml
run 0 '100/100' opgrade grade right --config hw.yaml --out results
run 0 '100/100' opgrade grade flat --config hw.yaml --out results
run 1 '40/100' opgrade grade half --config hw.yaml --out results
run 1 'reduction/reduction.cc is missing' opgrade grade swapped --config hw.yaml --out results
tar -czf right.tar.gz right
run 0 '100/100' opgrade grade right.tar.gz --config hw.yaml --out packed
grep -q '"folder": "right/scan"' packed/right/report.json ||
  { echo "the report does not name the exercise's folder"; failures=$((failures + 1)); }

# One row in the gradebook.
config=$place/hw.yaml make_course "$root" 2
mkdir in
cp -r right in/s1
cp -r half in/s2
run 0 '2 added' opgrade course add course m1 in
run 0 'm1: 2 graded' opgrade course grade course m1
run 0 's1,1,Student 1,,,m1,80,100,open' opgrade course gradebook course
run 0 'scan-cpu/last' opgrade course why course s1
# After the deadline.
run 0 'rejudge 1 applied' opgrade course final course m1
run 0 's1,1,Student 1,,,m1,100,100,graded' opgrade course gradebook course
run 0 's2,2,Student 2,,,m1,40,100,graded' opgrade course gradebook course
run 0 's1,1,Student 1,,m1,scan-cpu,60,60,0' opgrade course gradebook course --format stages
run 0 's2,2,Student 2,,m1,reduction-cpu,40,40,0' opgrade course gradebook course --format stages
[[ $(find course/results/configs -name task.yaml | wc -l) -eq 2 ]] ||
  { echo "the course did not keep both tasks"; failures=$((failures + 1)); }
run 0 '2 submissions in code' opgrade course export-code course m1 code
[[ -f code/s1/scan/scan.cc && -f code/s1/reduction/reduction.cc ]] ||
  { echo "the exported code has no folder for each exercise"; failures=$((failures + 1)); }
run 0 'database and files agree' opgrade course verify course

# A bundle takes both tasks along.
run 0 'autograde.tar' opgrade bundle autolab --config hw.yaml --out autolab
mkdir unpacked
tar -C unpacked -xf autolab/autograde.tar
run 1 '40 of 100 points' opgrade check half --config unpacked/config.yaml

# Over the network.
start_server --listen 127.0.0.1:0 --workers 1 --interval 0
run 0 'logged in' opgrade login --server "$url" < <(token_of s2)
run 0 'm1.zip: the statement' opgrade fetch --assignment m1
python3 -m zipfile -e m1.zip fetched
folder=$(find fetched -name scan -type d -printf '%h')
cp -r right/* "$folder"
run 0 '80 of 100 points' opgrade submit "$folder"
run 0 'Inclusive prefix sum' curl -s -H "Authorization: Bearer $(token_of s2)" "$url/assignments/m1"
kill -TERM "$server"
wait "$server" || { echo "the server did not end well"; failures=$((failures + 1)); }
server=
((failures == 0))
