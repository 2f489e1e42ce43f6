#!/usr/bin/env bash
# count_rules.sh <opgrade> <source>: points for what kernels do, in a task's folder and for a convolution. A tile that is
# written and saves no load earns none.
set -euo pipefail
opgrade=${1:?usage: count_rules.sh <opgrade> <source>}
source=${2:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
# expect <exit code> <command>...: then has <text>, once for each
expect() {
  local code=$1 seen=0
  shift
  "$@" >out 2>&1 || seen=$?
  [[ $seen == "$code" ]] || { echo "FAILED: $*: exit code $seen, expected $code"; tail -20 out; failures=$((failures + 1)); }
}
has() {
  tr -s ' \n' ' ' <out | grep -qF -- "$1" || { echo "FAILED: '$1' is missing"; cat out; failures=$((failures + 1)); }
}

# Inputs that are indices have values that a kernel can use.
expect 0 "$opgrade" profile "$source/labs/ece408/sparse_jds/solution" --config "$source/labs/ece408/sparse_jds" --device emulated
has "Accesses by line"
lab=$source/labs/ece408/matrix_product
cp -r "$lab" tiled
cp tiled/solution/tiled_product.cu tiled/solution/matrix_product.cu
sed -i 's/^pass_mark.*/pass_mark: 0/' tiled/task.yaml
cat >>tiled/task.yaml <<YAML
    counts:
      - {case: large, count: loads_of_element, at_most: "min(M, N) / 8", points: 5}
      - {case: large, count: saved_by_shared, at_least: 0.9, points: 5}
      - {case: large, count: global_load_sectors, at_most: 1.6 x ideal, points: 5}
YAML
check() { "$opgrade" check "$1" --config tiled --device emulated --only gpu; }
expect 0 check tiled/solution
has "75 of 75 points"
expect 0 check tiled/submissions/passed/thread_an_element
has "65 of 75 points"
has "loads_of_element"
has "and at most 13 is asked for"
has "saved_by_shared in large: 0, and at least 0.9 is asked for"

# Shared memory is written and read, and each product still loads from global memory.
cp -r tiled/submissions/passed/thread_an_element pretended
sed -i 's/^  float sum = 0;/  __shared__ float tile[64];\n  tile[threadIdx.x] = 0;\n  float sum = tile[threadIdx.x];/' pretended/matrix_product.cu
expect 0 check pretended
has "65 of 75 points"
has "saved_by_shared in large: 0,"

# A product without a tile earns nothing by work whose values nobody needs: in a kernel of its own, or in the kernel itself.
# vain NAME SED_SCRIPT: the product by a thread for each element, with a function that shares words in vain.
vain() {
  mkdir "$1"
  { cat <<'CUDA'
__device__ float shares(const float* x, int n) {
  __shared__ float tile[64];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 64) sum += x[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (int turn = 0; turn < 100; ++turn)
    for (int i = 0; i < 64; ++i) sum += tile[i];
  return sum;
}
__global__ void vain(const float* x, float* y, int n) { y[threadIdx.x] = shares(x, n); }
CUDA
    sed "$2" tiled/submissions/passed/thread_an_element/matrix_product.cu
  } >"$1/matrix_product.cu"
}
vain other_kernel 's/^  multiply<<</  float *x, *y;\
  const int n = 8 * (M * K + K * N);\
  cudaMalloc(\&x, 4 * n);\
  cudaMemset(x, 0, 4 * n);\
  cudaMalloc(\&y, 4 * 64);\
  vain<<<40, 64>>>(x, y, n);\
  cudaFree(x);\
  cudaFree(y);\
&/'
vain same_kernel 's/^  if (j >= N) return;/  if (shares(A, M * K < 64 ? M * K : 64) == 12345.25f) return;\
&/'
for name in other_kernel same_kernel; do
  expect 0 check $name
  has "65 of 75 points"
  has "loads_of_element"
  has "saved_by_shared in large: 0, and at least 0.9 is asked for"
done

# The build that counts is the same program, and its outputs are checked.
mkdir told_apart wrong_when_counted
{ printf '#ifdef OPGRADE_UNCOUNTED\n'; cat tiled/solution/matrix_product.cu; printf '#else\n'
  cat tiled/submissions/passed/thread_an_element/matrix_product.cu; printf '#endif\n'; } >told_apart/matrix_product.cu
expect 0 check told_apart
has "65 of 75 points"
sed 's/^void solve(.*{$/&\
  int one = 1, two = one + 1;\
  if (!__builtin_constant_p(two)) return;/' tiled/solution/matrix_product.cu >wrong_when_counted/matrix_product.cu
expect 0 check wrong_when_counted
has "60 of 75 points"
has "the run that counts is not right"

# A milestone: a tile in shared memory, the mask in constant memory, one kernel.
cat >milestone.yaml <<YAML
opgrade: 1
name: milestone
models:
  low: {network: fmnist-86, weights: fmnist-86-low}
stages:
  - name: m3
    device: emulated
    tolerance: 2e-3
    cases:
      - {model: low, batch: 10, points: 1}
    counts:
      - {model: low, batch: 10, count: saved_by_shared, at_least: 0.3, points: 2}
      - {model: low, batch: 10, count: constant_load_bytes, at_least: B * M, points: 4}
      - {model: low, batch: 10, count: launches, at_most: 1, points: 8}
YAML
for rung in 2 3 4; do
  mkdir "rung$rung"
  sh "$source/kernels/submission/export.sh" $rung "rung$rung/new-forward.cu"
done
expect 0 "$opgrade" check rung2 --config milestone.yaml
has "13 of 15 points"
expect 0 "$opgrade" check rung4 --config milestone.yaml
has "3 of 15 points"
has "launches in conv1: 2, and at most 1 is asked for"
expect 0 "$opgrade" check rung3 --config milestone.yaml --json
grep -q '"kind": "count_kept"' out || { echo "FAILED: the JSON lacks the rule"; failures=$((failures + 1)); }
sed -i '/^name/a accept_emulated: false' milestone.yaml
expect 0 "$opgrade" check rung3 --config milestone.yaml
has "the course accepts no counts of the emulated device"
exit $((failures > 0))
