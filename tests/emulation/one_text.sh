#!/usr/bin/env bash
# one_text.sh <opgrade-cucc>: what the compiler reads of a source is the same in the plain, the checking and the counting build,
# with every macro that it defines: a submission cannot tell them apart.
set -euo pipefail
cucc=${1:?usage: one_text.sh <opgrade-cucc>}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >device.cu <<'END'
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>
#define TEXT(x) #x
const char* const told[] = {TEXT(OPGRADE_UNCOUNTED), TEXT(OPGRADE_COUNT(add, float)), TEXT(__SANITIZE_THREAD__)};
constexpr int times = __COUNTER__, optimised =
#ifdef __OPTIMIZE__
    1;
#else
    0;
#endif
__global__ void k(half* x) { x[threadIdx.x] = __hadd(x[0], x[1]); }
END
sed '/^__global__/d; /cuda_fp16\|mma/d' device.cu >host.cc
for source in device.cu host.cc; do
  for build in --no-check --check --count; do
    "$cucc" $build -std=c++17 -O2 -E $source -o "text$build"
    "$cucc" $build -std=c++17 -O2 -E -dM $source -o "macros$build"
    [[ -s text$build && -s macros$build ]]
    cmp text--no-check "text$build"
    cmp macros--no-check "macros$build"
  done
  # Each build compiles what it read, also with the functions that it watches.
  for build in --no-check --check --count; do
    "$cucc" $build -std=c++17 -O2 -c $source -o object.o
  done
done
