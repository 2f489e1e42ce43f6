#!/usr/bin/env bash
# access_widths.sh <opgrade>: an access of one element outside of memory is told with that element's bytes, for each type.
set -euo pipefail
opgrade=${1:?usage: access_widths.sh <opgrade>}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

# expect <type> <staff's type> <bytes> <what the kernel does> <its statement>
expect() {
  printf '#include "copy.h"\n__global__ void k(const %s* x, %s* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  %s\n}\nvoid copy(const %s* x, %s* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }\n' \
    "$1" "$1" "$5" "$1" "$1" > task/solution/copy.cu
  rm -rf results
  "$opgrade" grade task/solution --config task --unchecked --device emulated --out results > out 2>&1 || true
  # In a report of wrong outputs the finding is the next action, in lines of a terminal.
  tr -s '\n ' ' ' < results/solution/report.txt | grep -qF "The thread $4 $3 outside of its memory" && return
  echo "FAILED: $1: '$4 $3' is missing"
  cat out
  failures=$((failures + 1))
}

# type <type> <staff's input> <staff's output> <bytes>
type() {
  rm -rf task
  "$opgrade" task init task --function "void copy(const $1* x, $1* y, int n)" > out
  sed -i '/random_shapes/d; s/n: 1003}, points: 20/n: 64}, points: 100/' task/task.yaml
  printf '#include "reference.h"\nvoid reference(const %s* x, %s, long long n) {\n  for (long long i = 0; i < n; ++i) y[i] = x[i];\n}\n' \
    "$2" "$3" > task/reference.cpp
  expect "$1" x "$4" writes 'y[i] = x[i < n ? i : 0];'
  expect "$1" x "$4" reads 'if (i < n) y[i] = x[i + n];'
}
type half float "double* y, double*" "2 bytes"
type __nv_bfloat16 float "double* y, double*" "2 bytes"
type "unsigned char" "unsigned char" "long long* y" "1 byte"
type short short "long long* y" "2 bytes"
type float float "double* y, double*" "4 bytes"
type double double "double* y, double*" "8 bytes"
type "long long" "long long" "long long* y" "8 bytes"
((failures == 0)) || exit 1
echo "access widths: as expected"
