#!/usr/bin/env bash
# Several GPUs and threads on their own cores, by tests/gpu/rows.sh; exit code 0 if no case failed. About a minute.
#   tests/gpu/two_devices.sh FOLDER [PART]...             on a machine with one, two or more GPUs
#   DEVICE=emulated tests/gpu/two_devices.sh FOLDER [PART]...   elsewhere
# program   labs/shortest_paths with one and with two GPUs: the solution, peer access, a row that is not sent, a pointer to
#           memory of the other device
# pointers  a sum of two vectors whose second half the second device adds: a time, and what the submission sees
# together  four gradings at the same time, of one GPU and of two: all end, and no device is used twice at a time
# threads   a case with as many threads as the machine has cores, and one with more
# On a machine with one GPU a stage with `gpus: 2` is not run and its points are open.
# shellcheck source=tests/gpu/rows.sh
source "$(dirname "$0")/rows.sh"
gpus=2  # emulated
[[ $device == emulated ]] || gpus=$(grep -l 'GPU UUID' /proc/driver/nvidia/gpus/*/information 2>/dev/null | wc -l)
[[ -z ${CUDA_VISIBLE_DEVICES:-} || $device == emulated ]] || gpus=$(tr ',' '\n' <<<"$CUDA_VISIBLE_DEVICES" | grep -c .)

# with_two ON_TWO ON_ONE: what is expected
with_two() { if ((gpus >= 2)); then echo "$1"; else echo "$2"; fi; }
open='not_run 0/100 open 100'

program() {
  local name sample
  row "one GPU" 'passed 100/100 open 0' "$(graded "$labs/shortest_paths/solution" "$labs/shortest_paths")"
  row "two GPUs" "$(with_two 'passed 100/100 open 0' "$open")" \
    "$(graded "$labs/shortest_paths/solution" "$labs/shortest_paths/shortest_paths_two_gpus.yaml")"
  if ((gpus < 2)); then
    row "two GPUs, the note" '*opgrade sees 1 here*' "$(says 'its cases use 2 GPUs.{50}')"
    return
  fi
  "$opgrade" task check "$labs/shortest_paths/shortest_paths_two_gpus.yaml" --device "$device" --mutants 0 \
    > check.log 2>&1
  for sample in passed/rows_by_peer_access wrong_output/row_not_sent crashed/memory_of_device_0; do
    name=$(grep -E "^(ok|WRONG) .*$sample" check.log | tr -s ' ' | cut -c 1-60)
    row "sample ${sample#*/}" 'ok *' "$name"
  done
}

pointers() {
  mkdir -p halves/solution own
  cat > halves/task.yaml <<'YAML'
opgrade: 1
name: halves
task:
  function: void halves(const float* x, const float* y, float* sum, int n)
  sizes: {n: {to: 100000000}}
  buffers: {x: {extents: [n]}, y: {extents: [n]}, sum: {extents: [n]}}
tolerance: 1e-6
timing: {repetitions: 5}
stages:
  - name: gpu
    device: cuda
    gpus: 2
    random_shapes: {count: 3, points: 50}
    cases: [{name: large, sizes: {n: 20000003}}]
    op_times: [{case: large, points: 50, limit: 10 s}]
YAML
  [[ $device != emulated ]] || sed -i 's/20000003/20003/' halves/task.yaml
  cat > halves/reference.cpp <<'CPP'
#include "reference.h"

#include <cmath>

void reference(const float* x, const float* y, double* sum, double* sum_scale, long long n) {
  for (long long i = 0; i < n; ++i) {
    sum[i] = static_cast<double>(x[i]) + y[i];
    sum_scale[i] = std::fabs(x[i]) + std::fabs(y[i]);
  }
}
CPP
  # The second device's part is sent and fetched without waiting: the grader waits for both.
  cat > own/halves.cu <<'CUDA'
#include "halves.h"

#include <cstdio>
__global__ void add(const float* x, const float* y, float* sum, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum[i] = x[i] + y[i];
}
void halves(const float* x, const float* y, float* sum, int n) {
  int devices = 0, current = -1, can = 0;
  cudaGetDeviceCount(&devices);
  cudaGetDevice(&current);
  cudaDeviceCanAccessPeer(&can, 0, 1);
  static int calls = 0;
  if (calls++ == 0) printf("%d devices, current %d, peer access %d\n", devices, current, can);
  const int half = n / 2, rest = n - half;
  static float* part = nullptr;
  static int room = 0;
  cudaSetDevice(1);
  if (room < rest) {
    cudaFree(part);
    cudaMalloc(&part, 3 * sizeof(float) * rest);
    room = rest;
  }
  float *px = part, *py = part + room, *psum = part + 2 * size_t(room);
  cudaMemcpyPeerAsync(px, 1, x + half, 0, sizeof(float) * rest);
  cudaMemcpyPeerAsync(py, 1, y + half, 0, sizeof(float) * rest);
  add<<<256, 256>>>(px, py, psum, rest);
  cudaMemcpyPeerAsync(sum + half, 0, psum, 1, sizeof(float) * rest);
  cudaSetDevice(0);
  if (half > 0) add<<<256, 256>>>(x, y, sum, half);
  cudaSetDevice(1);  /* and leaves it current */
}
CUDA
  cp own/halves.cu halves/solution
  row "function" "$(with_two "$([[ $device == emulated ]] && echo 'passed 50/100 open 50' || echo 'passed 100/100 open 0')" "$open")" \
    "$(graded own halves)"
  ((gpus >= 2)) || return
  row "function, what it sees" '2 devices, current 0, peer access *' "$(says '2 devices, current 0, peer access [01]')"
  [[ $device == emulated ]] || row "function, its time" 'sum of Op Times *' "$(says 'sum of Op Times [0-9.]+ ms')"
  # A pointer to device 0 in a kernel of device 1.
  mkdir -p wrong && sed 's/add<<<256, 256>>>(px, py, psum, rest)/add<<<256, 256>>>(x, py, psum, rest)/' own/halves.cu > wrong/halves.cu
  row "function, memory of the other" '@(crashed|wrong_output|mistake_found) 0/100 open 0' "$(graded wrong halves)"
  # After an illegal access both devices serve the next submission.
  row "function, the next submission" 'passed *' "$(graded own halves)"
}

together() {
  local i config outcomes=
  for i in 1 2 3 4; do
    config=$labs/shortest_paths/task.yaml
    ((i % 2)) || config=$labs/shortest_paths/shortest_paths_two_gpus.yaml
    out=together$i graded "$labs/shortest_paths/solution" "$config" > "together$i.txt" &
  done
  wait
  for i in 1 2 3 4; do outcomes+="$(cut -d ' ' -f 1 "together$i.txt") "; done
  row "four at the same time" "$(with_two 'passed passed passed passed ' 'passed not_run passed not_run ')" "$outcomes"
}

threads() {
  local cores
  cores=$(nproc)
  mkdir -p roots/solution roots_own
  cat > roots/reference.cpp <<'CPP'
#include "reference.h"

#include <cmath>

void reference(const float* x, double* y, double* y_scale, long long n) {
  for (long long i = 0; i < n; ++i) y_scale[i] = y[i] = std::sqrt(static_cast<double>(x[i]));
}
CPP
  cat > roots_own/roots.cc <<'CPP'
#include "roots.h"

#include <omp.h>

#include <cmath>
#include <cstdio>
void roots(const float* x, float* y, int n) {
  if (n == 2000000) std::printf("%d threads on %d cores\n", omp_get_max_threads(), omp_get_num_procs());
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = std::sqrt(x[i]);
}
CPP
  local more
  for more in 0 1; do
    cat > roots/task.yaml <<YAML
opgrade: 1
name: roots
task:
  function: void roots(const float* x, float* y, int n)
  sizes: {n: {to: 10000000}}
  buffers: {x: {extents: [n], values: "uniform(1, 2)"}, y: {extents: [n]}}
tolerance: 1e-5
stages:
  - name: cpu
    device: cpu
    flags: [-O2, -fopenmp]
    random_shapes: {count: 2, points: 50}
    cases: [{name: large, sizes: {n: 2000000}, threads: $((cores + more))}]
    op_times: [{case: large, points: 50, limit: 10 s}]
YAML
    if ((more)); then
      row "one thread more than cores" 'passed 50/100 open 50' "$(graded roots_own roots)"
      row "one thread more, the reason" "not timed: the case has $((cores + 1)) threads*" "$(says 'not timed: the case has [0-9]+ threads')"
    else
      row "$cores threads" 'passed 100/100 open 0' "$(graded roots_own roots)"
      row "$cores threads, their cores" "$cores threads on $cores cores" "$(says '[0-9]+ threads on [0-9]+ cores')"
    fi
  done
}

echo "$gpus GPUs ($device)"
run_parts "program pointers together threads" "$@"
