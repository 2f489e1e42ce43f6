#!/usr/bin/env bash
# check_repeats.sh <opgrade>: a check keeps its seed and says what depends on it; an endless planted mistake is noticed.
set -euo pipefail
opgrade=${1:?usage: check_repeats.sh <opgrade>}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
fail() {
  echo "FAILED: $1"
  tail -20 out
  failures=$((failures + 1))
}
# check <options>...: the folder scale
check() {
  "$opgrade" task check scale "$@" > out 2>&1 || true
}

"$opgrade" task init 02_scale --function "void scale(float a, const float* x, float* y, int n)" --cpu > out
mv 02_scale scale
rm scale/*/scale.cu
sed -i '/name: gpu/,$d' scale/task.yaml
cat > scale/reference.cpp <<CPP
#include "reference.h"
void reference(float a, const float* x, double* y, double*, long long n) {
  for (long long i = 0; i < n; ++i) y[i] = static_cast<double>(a) * x[i];
}
CPP
# Mistakes of "<" and "= 0": two are endless loops.
cat > scale/solution/scale.cc <<CPP
#include "scale.h"
void scale(float a, const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i];
  for (int half = n; half > 0; half /= 2) y[0] = a * x[0];
}
CPP
mkdir -p scale/submissions/passed/backwards scale/submissions/wrong_output/at_{sevens,ones}
printf '#include "scale.h"\nvoid scale(float a, const float* x, float* y, int n) { for (int i = n; i-- > 0;) y[i] = a * x[i]; }\n' \
  > scale/submissions/passed/backwards/scale.cc
# Wrong where the shapes happen to be multiples of 7.
printf '#include "scale.h"\nvoid scale(float a, const float* x, float* y, int n) { for (int i = 0; i < n - (n %% 7 == 0); ++i) y[i] = a * x[i]; }\n' \
  > scale/submissions/wrong_output/at_sevens/scale.cc
printf '#include "scale.h"\nvoid scale(float a, const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = n == 1 ? 0 : a * x[i]; }\n' \
  > scale/submissions/wrong_output/at_ones/scale.cc
sed -i 's/count: 10,/count: 2,/; s/n: 1003/n: 1001/' scale/task.yaml

check --seed 5
grep -qF -- "--seed 5:" out || fail "the seed is not shown"
cp out first
grep -qF "ok        solution/scale.cc, line 4: >= for >" out || fail "an endless mistake is not noticed"
grep -qF "out of time" out || fail "an endless mistake is not out of time"
! grep -q "survived.*>= for >\|undecided" out || fail "an endless mistake is undecided"
check
grep -qF -- "--seed 5:" out || fail "the seed is not kept"
lines() {
  sed '/ runs for /d; s/ (as in the last check)//; s/ ([0-9]* s)$//' "$1" | sort
}
[[ $(lines out) == "$(lines first)" ]] || fail "the second check differs"
# With other sizes the large case shows nothing: what the random shapes show depends on the seed.
sed -i 's/n: 1001/n: 1000/; s/count: 2,/count: 8,/' scale/task.yaml
seen=0
for seed in 1 2 3 4 5 6 7 8; do
  check --seed $seed --only wrong_output/at_sevens
  ! grep -q "depends on the seed: with --seed $((seed + 1)) " out || seen=$((seen + 1))
done
((seen > 0)) || fail "a sample that depends on the seed is not told"
check --seed 3 --only wrong_output/at_ones
! grep -q "depends on the seed" out || fail "a sample that each seed shows is told as dependent"
check --seed 3 --only passed/backwards
! grep -q "depends on the seed" out || fail "a right sample is told as dependent"
((failures == 0)) || exit 1
echo "check repeats: as expected"
