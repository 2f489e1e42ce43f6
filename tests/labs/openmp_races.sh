#!/usr/bin/env bash
# openmp_races.sh <source>: adapters/openmp_races.cc tells g++'s thread sanitizer enough of libgomp: a right program has no
# data race, in several runs, and a counter that is not private is named with its line.
set -euo pipefail
source=${1:?usage: openmp_races.sh <source>}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1 OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive
build() {  # build NAME SOURCE...
  g++ -std=c++17 -O2 -g1 -fopenmp -fsanitize=thread -fno-optimize-sibling-calls "${@:2}" \
    "$source/grader/platform/harness/adapters/openmp_races.cc" -o "$work/$1" \
    -Wl,--wrap=__tsan_atomic32_load,--wrap=__tsan_atomic32_store,--wrap=__tsan_atomic64_load,--wrap=__tsan_atomic64_store
}
build right "$source/tests/labs/openmp_right.cc"
"$work/right" > "$work/out" 2>&1 || {
  grep -q 'FATAL: ThreadSanitizer' "$work/out" && { echo "the thread sanitizer does not start here"; exit 77; }
  cat "$work/out"
  exit 1
}
for _ in 1 2 3 4; do "$work/right"; done
cat > "$work/counter.cc" <<'END'
int main() {
  int count = 0;
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i)
    ++count;
  return count < 0;
}
END
build counter "$work/counter.cc"
! "$work/counter" > "$work/out" 2>&1 || { echo "the race is not seen"; exit 1; }
grep -q 'counter.cc:5' "$work/out" || { cat "$work/out"; exit 1; }
echo "OpenMP's races: as expected"
