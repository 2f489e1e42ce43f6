#!/usr/bin/env bash
# at_deadline.sh <build folder> <project root>: cases at the deadline in a course. Staff hear of a case that their own solution
# fails before the deadline, and a rejudge runs them for those alone who can hand in nothing more.
set -euo pipefail
build=$(realpath "${1:?usage: at_deadline.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: at_deadline.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset OPGRADE_TOKEN XDG_CONFIG_HOME
# shellcheck source=tests/labs/steps.sh
source "$root/tests/labs/steps.sh"

mkdir -p halves/solution
cat >halves/task.yaml <<'YAML'
opgrade: 1
name: halves
task:
  function: void halves(const float* x, float* y, int n)
  sizes: {n: {to: 100000}}
  buffers: {x: {extents: [n]}, y: {extents: [n]}}
stages:
  - name: cpu
    device: cpu
    random_shapes: {count: 2, points: 60}
    cases: [{name: last, sizes: {n: 5003}, points: 40, run: at deadline}]
YAML
cat >halves/reference.cpp <<'CPP'
#include "reference.h"

void reference(const float* x, double* y, double* y_scale, long long n) {
  for (long long i = 0; i < n; ++i) y[i] = y_scale[i] = x[i] / 2.0;
}
CPP
# halves <at n = 5003>
halves() {
  echo '#include "halves.h"'
  echo "void halves(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = n == 5003 ? $1 : x[i] / 2; }"
}
# A lecturer's solution that is wrong for the last case alone.
halves 7 >halves/solution/halves.cc
mkdir -p in/s{1,2,3}
for s in 1 2 3; do halves 'x[i] / 2' >in/s$s/halves.cc; done  # the same files, so copies of one grade

config=$place/halves make_course "$root" 3
sed -i 's/2099-01-01 12:00/2020-01-01 12:00/' course/course.yaml
sed -i 's/^id,login,name$/&,extension/; s/^1,s1,.*/&,m1=2099-01-01 12:00/; s/^[23],.*/&,/' course/roster.csv
run 0 '3 added' opgrade course add course m1 in --time '2020-01-01 11:00'
run 0 'the reference solution fails cpu/last' opgrade course grade course m1 --unchecked
run 0 's1,1,Student 1,,,m1,60,100,open' opgrade course gradebook course
run 0 's2,2,Student 2,,,m1,60,100,open' opgrade course gradebook course

# A solution that is right there gives no warning.
halves 'x[i] / 2' >halves/solution/halves.cc
rm -f course/results/configs/*.reference.json
said=$(opgrade course grade course m1 --unchecked 2>&1)
[[ $said != *'reference solution'* ]] || { echo "a right solution is said to fail: $said"; failures=$((failures + 1)); }

# The deadline is over, but not for s1, whose extension goes on. The files of all three are the same.
run 0 'rejudge 1' opgrade course rejudge course m1 --unchecked --reason check
run 0 'rejudge 1 applied' opgrade course rejudge course m1 --number 1 --apply
run 0 's1,1,Student 1,,,m1,60,100,open' opgrade course gradebook course
run 0 's2,2,Student 2,,,m1,100,100,graded' opgrade course gradebook course
run 0 's3,3,Student 3,,,m1,100,100,graded' opgrade course gradebook course
# Staff's command for the end of an assignment runs them for all.
run 0 'rejudge 2 applied' opgrade course final course m1 --unchecked
run 0 's1,1,Student 1,,,m1,100,100,graded' opgrade course gradebook course
((failures == 0))
