#!/usr/bin/env bash
# threads.sh OPGRADE: a timed case with `threads` has as many threads and cores, which it cannot change. On a machine with
# fewer cores it is checked, and its points for time stay open. Needs two cores.
set -euo pipefail
opgrade=${1:?usage: threads.sh OPGRADE}
(($(nproc) >= 2)) || { echo "needs two cores"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
chmod 755 .
# shellcheck source=tests/labs/steps.sh
source "$here/steps.sh"

mkdir -p task/{solution,serial,submissions/wrong_output/{nothing,half},submissions/passed/other} own
# The first elements tell what the call's process sees: its threads, its cores, its cores after it chose all of the machine.
cat >task/task.yaml <<'YAML'
opgrade: 1
name: cores
task:
  function: void cores(const int* x, int* y, int n)
  sizes: {n: {to: 1000000}}
  buffers: {x: {extents: [n]}, y: {extents: [n]}}
timing: {repetitions: 3}
stages:
  - name: cpu
    device: cpu
    flags: [-O2, -fopenmp]
    random_shapes: {count: 2, points: 40}
    cases:
      - {name: two, sizes: {n: 300000}, threads: 2, points: 20}
      - {name: one, sizes: {n: 300000}, threads: 1}
    op_times: [{case: two, points: 40, full: 1000000 x serial, zero: 2000000 x serial}]
YAML
cat >task/reference.cpp <<'CPP'
#include "reference.h"

void reference(const int* x, long long* y, long long n) {
  for (long long i = 0; i < n; ++i) y[i] = x[i] + 1;
}
CPP
# add <threads>: adds one by a loop of so many threads, 0 for those that OpenMP chooses.
add() {
  echo '#include "cores.h"'
  echo '#include <omp.h>'
  echo '#include <sched.h>'
  echo '#include <cstdio>'
  echo 'void cores(const int* x, int* y, int n) {'
  echo '  cpu_set_t all; CPU_ZERO(&all);'
  echo '  for (int core = 0; core < 1000; ++core) CPU_SET(core, &all);'
  echo '  const int before = omp_get_num_procs(), chosen = sched_setaffinity(0, sizeof all, &all);'
  echo '  cpu_set_t now; sched_getaffinity(0, sizeof now, &now);'
  echo '  if (n == 300000) std::printf("%d threads, %d cores, chose %d: %d\n", omp_get_max_threads(), before, chosen, CPU_COUNT(&now));'
  echo "#pragma omp parallel for num_threads($1)"
  echo '  for (int i = 0; i < n; ++i) y[i] = x[i] + 1;'
  echo '}'
}
add 'omp_get_max_threads()' >task/solution/cores.cc
add 1 >task/serial/cores.cc
add 2 >task/submissions/passed/other/cores.cc
sed 's/x\[i\] + 1/0/' task/solution/cores.cc >task/submissions/wrong_output/nothing/cores.cc
sed 's/i < n;/i < n \/ 2;/' task/solution/cores.cc >task/submissions/wrong_output/half/cores.cc
cp task/solution/cores.cc own/

matches 0 'ok +serial' "$opgrade" task check task --mutants 0
matches 0 '' "$opgrade" grade own --config task --out results
matches 0 '2 threads, 2 cores, chose 0: 2' cat results/own/report.json
matches 0 '1 threads, 1 cores, chose 0: 1' cat results/own/report.json
matches 0 'Op Time two +sum of Op Times' "$opgrade" show results/own

# As a machine with one core: checked with two threads, not timed.
core=$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')
matches 0 '' taskset -c "$core" "$opgrade" grade own --config task --out few
matches 0 'not timed: the case has 2 threads, and opgrade may use 1 core here' "$opgrade" show few/own
matches 0 'PASSED 60 of 100 points; 40 more are open' "$opgrade" show few/own
matches 0 '2 threads, 1 cores' cat few/own/report.json

sed -i 's/threads: 2,/threads: 0,/' task/task.yaml
matches 2 "'threads' is 0, but must be from 1 to" "$opgrade" check-config task
((failures == 0))
