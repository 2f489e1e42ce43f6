#!/usr/bin/env bash
# Forms of hand-ins and of points for speed on a GPU, by tests/gpu/rows.sh; exit code 0 if no form failed. About three minutes.
#   tests/gpu/forms.sh FOLDER [PART]...             on a machine with a GPU
#   DEVICE=emulated tests/gpu/forms.sh FOLDER [PART]...   elsewhere: all points for times are open
# exercises   reduction, scan and vector_add in one hand-in with `findings: decide`: all points; a race in one costs that one
# serial      speed-up over staff's serial solution in a stage on a GPU
# roofline    vector_add at 0.6 of roofline, in float and in double; half is refused
# deadline    a case at the deadline beside findings: open at hand-in, run later, and its race is found then
# late        points of late work beside those in time
# primitives  the time of the solution over one's own, at four sizes
# programs    programs on binary files and on images
# shellcheck source=tests/gpu/rows.sh
source "$(dirname "$0")/rows.sh"

# expected ON_A_GPU EMULATED
expected() { if [[ $device == emulated ]]; then echo "$2"; else echo "$1"; fi; }

exercises() {
  cat > hw.yaml <<YAML
opgrade: 1
name: hw
exercises: [$labs/ece408/reduction, $labs/ece408/scan, $labs/ece408/vector_add]
only: [reduction-gpu, scan-gpu, vector_add]
YAML
  mkdir -p right/{reduction,scan,vector_add}
  for lab in reduction scan vector_add; do cp "$labs/ece408/$lab/solution/$lab.cu" "right/$lab"; done
  cp -r right racy
  cp "$labs"/ece408/scan/submissions/mistake_found/no_barrier/scan.cu racy/scan
  row exercises 'passed 220/220 open 0' "$(graded right hw.yaml)"
  row "exercises, a race" '@(mistake_found|wrong_output) 1[0-9][0-9]/220 open 0' "$(graded racy hw.yaml)"
  row "exercises, its exercise" yes "$(has 'scan\.cu:[0-9]+')"
}

# A task whose submissions take square roots in so many steps of Newton's; five are enough.
roots() {  # roots FOLDER OP_TIMES
  mkdir -p "$1"/{solution,serial} own
  cat > "$1/task.yaml" <<YAML
opgrade: 1
name: roots
task:
  function: void roots(const float* x, float* y, int n)
  sizes: {n: {to: 10000000}}
  buffers: {x: {extents: [n], values: "uniform(1, 2)"}, y: {extents: [n]}}
  flops: 10 * n
tolerance: 1e-5
timing: {repetitions: 5}
stages:
  - name: gpu
    device: cuda
    random_shapes: {count: 2, points: 50}
    cases: [{name: large, sizes: {n: 300007}}]
    op_times: [$2]
YAML
  cat > "$1/reference.cpp" <<'CPP'
#include "reference.h"

#include <cmath>

void reference(const float* x, double* y, double* y_scale, long long n) {
  for (long long i = 0; i < n; ++i) y_scale[i] = y[i] = std::sqrt(static_cast<double>(x[i]));
}
CPP
  program_of 5 256 > "$1/solution/roots.cu"
  program_of 50 1 > "$1/serial/roots.cu"
  program_of 5 256 > own/roots.cu
}

program_of() {  # program_of STEPS THREADS
  cat <<CUDA
#include "roots.h"
__global__ void newton(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float root = x[i];
    for (int step = 0; step < $1; ++step) root = (root + x[i] / root) / 2;
    y[i] = root;
  }
}
void roots(const float* x, float* y, int n) { newton<<<$2 == 1 ? 64 : (n + 255) / 256, $2>>>(x, y, n); }
CUDA
}

serial() {
  roots speed "{case: large, points: 50, full: 0.5 x serial, zero: 1 x serial, between: speed}"
  row "speed-up over serial" "$(expected 'passed 100/100 open 0' 'passed 50/100 open 50')" "$(graded own speed)"
  program_of 50 1 > own/roots.cu
  row "speed-up of the serial one" "$(expected 'passed 5[0-9]*/100 open 0' 'passed 50/100 open 50')" "$(graded own speed)"
  row "speed-up, its reason" "$(expected yes no)" "$(has 'the serial solution takes [0-9.]+ ms here: a speed-up of')"
}

roofline() {
  local type verdict
  for type in float double half; do
    rm -rf add && cp -r "$labs/ece408/vector_add" add
    # 100 MB and more: a call of less is the launch alone.
    sed -i "s/- {name: large.*/- {name: large, sizes: {n: 30000000}, points: 10}/
            \$a\\    op_times: [{case: large, points: 10, full: 0.6 of roofline, zero: 0.01 of roofline, between: speed}]" \
      add/task.yaml
    sed -i "s/float/$type/g" add/task.yaml add/solution/vector_add.cu
    sed -i "s/const float/const $type/g" add/reference.cpp
    if [[ $type == half ]]; then
      verdict=$("$opgrade" check-config add 2>&1 | grep -c 'operations of float or of double alone')
      row "roofline, half" 1 "$verdict"
      continue
    fi
    if [[ $device == emulated ]]; then
      row "roofline, $type" 'passed 80/80 open 0' "$(graded add/solution add gpu/random)"
      continue
    fi
    row "roofline, $type" '@(passed 9[0-9]*|passed 100)/100 open 0' "$(graded add/solution add)"
    row "roofline, $type, its reason" yes "$(has '\(0\.6 of roofline\)')"
  done
}

deadline() {
  local c
  rm -rf late && cp -r "$labs/ece408/vector_add" late
  sed -i 's/- {name: large.*/- {name: last, sizes: {n: 5003}, points: 20, run: at deadline}/' late/task.yaml
  mkdir -p honest race
  cp late/solution/vector_add.cu honest
  # Every thread of a block writes one word, for one length alone.
  cat > race/vector_add.cu <<'CUDA'
#include "vector_add.h"
__global__ void add(const float* a, const float* b, float* sum, int n) {
  __shared__ int last;
  if (n == 5003) last = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i] + (n == 5003 && last < 0 ? 1 : 0);
}
void vector_add(const float* a, const float* b, float* sum, int n) { add<<<(n + 255) / 256, 256>>>(a, b, sum, n); }
CUDA
  for c in honest race; do
    "$opgrade" check "$c" --config late --device "$device" --no-counts > check.log 2>&1
    row "at hand-in, $c" yes "$(grep -q 'runs after the deadline' check.log && echo yes || echo no)"
    row "at hand-in, $c, points" yes "$(grep -qE '80 of 100' check.log && echo yes || echo no)"
  done
  row "at the deadline, honest" 'passed 100/100 open 0' "$(graded honest late)"
  row "at the deadline, race" 'mistake_found 80/100 open 0' "$(graded race late)"
}

# late_points_in REPORT: "yes", "no", or nothing if there is no report
late_points_in() {
  grep -q '"points"' "$1" || return
  grep -q '"late_points": 70' "$1" && echo yes || echo no
}

late() {
  roots table "{case: large, points: 50, limit: 1000 ms, late: {points: 20, limit: 1000 ms}}"
  row "late work" "$(expected 'passed 100/100 open 0' 'passed 50/100 open 50')" "$(graded own table)"
  row "late work, its points" "$(expected yes no)" "$(late_points_in out/own/report.json)"
}

primitives() {
  local lab
  mkdir -p three/{saxpy,exclusive_scan,find_repeats}
  for lab in saxpy exclusive_scan find_repeats; do cp "$labs/primitives/$lab/solution/$lab.cu" "three/$lab"; done
  row primitives "$(expected 'passed 1[34][0-9]*/140 open 0' 'passed 95/140 open 45')" \
    "$(graded three "$labs/primitives/hand_in.yaml")"
  row "primitives, four sizes" "$(expected yes no)" "$(has 'n64k [0-9.]+ \([0-9.]+ ms; full points up to')"
}

programs() {
  local lab
  for lab in shortest_paths box_filter; do
    row "$lab" 'passed 100/100 open 0' "$(graded "$labs/$lab/solution" "$labs/$lab")"
  done
}

run_parts "exercises serial roofline deadline late primitives programs" "$@"
