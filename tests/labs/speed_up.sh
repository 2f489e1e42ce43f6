#!/usr/bin/env bash
# speed_up.sh OPGRADE: points for the speed-up over staff's serial solution, timed in the same run. The check of a task looks
# at that solution, and students do not get it.
set -euo pipefail
opgrade=${1:?usage: speed_up.sh OPGRADE}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
chmod 755 .
# shellcheck source=tests/labs/steps.sh
source "$here/steps.sh"

mkdir -p task/{solution,serial,submissions/{passed/forward,wrong_output/{nothing,half}}} own
cat >task/task.yaml <<'YAML'
opgrade: 1
name: roots
task:
  function: void roots(const float* x, float* y, int n)
  sizes: {n: {to: 1000000}}
  buffers: {x: {extents: [n], values: "uniform(1, 2)"}, y: {extents: [n]}}
tolerance: 1e-5
timing: {repetitions: 3}
stages:
  - name: cpu
    device: cpu
    random_shapes: {count: 2, points: 50}
    cases: [{name: large, sizes: {n: 300000}}]
    op_times: [{case: large, points: 50, full: 0.5 x serial, zero: 1000 x serial, between: speed}]
YAML
cat >task/reference.cpp <<'CPP'
#include "reference.h"

#include <cmath>

void reference(const float* x, double* y, double* y_scale, long long n) {
  for (long long i = 0; i < n; ++i) y_scale[i] = y[i] = std::sqrt(static_cast<double>(x[i]));
}
CPP
# steps <n>: square roots by so many steps of Newton's, of which five are enough.
steps() {
  echo '#include "roots.h"'
  echo 'void roots(const float* x, float* y, int n) {'
  echo '  for (int i = 0; i < n; ++i) {'
  echo '    float root = x[i];'
  echo "    for (int step = 0; step < $1; ++step) root = (root + x[i] / root) / 2;"
  echo '    y[i] = root;'
  echo '  }'
  echo '}'
}
steps 5 >task/solution/roots.cc
steps 100 >task/serial/roots.cc
steps 6 >task/submissions/passed/forward/roots.cc
steps 0 >task/submissions/wrong_output/nothing/roots.cc
sed 's/i < n/i < n \/ 2/' task/solution/roots.cc >task/submissions/wrong_output/half/roots.cc

matches 0 'ok +serial' "$opgrade" task check task --mutants 0
steps 5 >own/roots.cc
matches 0 '1 graded' "$opgrade" grade own --config task --out results
matches 0 'full points up to .* between both by speed .the serial solution takes [0-9.]+ ms here: a speed-up of [0-9.]+' \
  "$opgrade" show results/own
# Students get neither it nor the rule.
matches 0 '' "$opgrade" task publish task public
[[ ! -e public/serial ]] || { echo "task publish hands out serial/"; failures=$((failures + 1)); }
! grep -q serial public/task.yaml || { echo "task publish hands out a limit by serial/"; failures=$((failures + 1)); }
# A wrong serial solution is the lecturer's to mend.
steps 0 >task/serial/roots.cc
matches 1 'WRONG +serial' "$opgrade" task check task --mutants 0
mv task/serial kept
matches 2 'there is no .*/serial, whose Op Time is part of a bound' "$opgrade" check-config task
((failures == 0))
