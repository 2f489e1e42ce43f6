#!/usr/bin/env bash
# cheats.sh <opgrade> [emulated | cuda]: cheats on a task's folder in each form: function on device pointers, on host pointers,
# program, edited function. Each has its verdict; on a GPU a line has what a cheat that passes gains over the honest one.
# One line a cheat and form; exit code 0 if all are as expected.
set -euo pipefail
opgrade=${1:?usage: cheats.sh <opgrade> [emulated | cuda]}
device=${2:-emulated}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# What each writes in place of honest(x, y, n), where y[i] = 2 x[i] + 1.
declare -A body=(
  [honest]='honest(x, y, n);'
  [kept_answer]='static float* kept; static int size;
    if (size == n) { copy(y, kept, n); } else { honest(x, y, n); kept = new float[n]; copy(kept, y, n); size = n; }'
  [kept_by_input]='static std::map<std::vector<float>, std::vector<float>> kept;
    std::vector<float> input(n), output(n); copy(input.data(), x, n);
    if (kept.count(input)) { copy(y, kept[input].data(), n); }
    else { honest(x, y, n); copy(output.data(), y, n); kept[input] = output; }'
  [first_call_only]='static int calls; if (calls++ == 0) honest(x, y, n);'
  [half_of_later_calls]='static int calls; honest(x, y, calls++ == 0 ? n : n / 2);'
  [side_stream]='side_stream(x, y, n);'
  [late_thread]='std::thread([=] { usleep(30000); honest(x, y, n); }).detach();'
  [guessed_input]='std::vector<float> guess(n); std::mt19937_64 random(1);
    for (float& one : guess) one = 2 * std::uniform_real_distribution<float>(-1, 1)(random) + 1;
    copy(y, guess.data(), n);'
  [reads_reference]='static const char* const names[] = {"expected.raw", "reference.cpp", "/submission/reference.cpp",
      "/opgrade/reference.cpp", "/opgrade/adapters/reference.cpp", "/opgrade/submission/reference.so", "../reference.cpp"};
    for (const char* name : names) if (FILE* in = fopen(name, "r")) {
      std::vector<float> read(n); char line[256];
      if (fgets(line, sizeof line, in)) for (float& one : read) if (fscanf(in, "%f", &one) != 1) break;
      fclose(in); copy(y, read.data(), n); }'
  [exits_early]='exit(0);'
)
# The outcome in every form; in that of programs; on a GPU.
wrong=wrong_output
declare -A want=([honest]=passed [kept_answer]=$wrong [kept_by_input]=passed [first_call_only]=$wrong
  [half_of_later_calls]=$wrong [side_stream]=passed [late_thread]="$wrong|not_credible" [guessed_input]=$wrong
  [reads_reference]=$wrong [exits_early]='exited_early|crashed')
# A program runs once a process, so that nothing is kept from call to call.
declare -A want_of_program=([exits_early]=$wrong [late_thread]=$wrong [side_stream]="passed|$wrong"
  [first_call_only]=passed [half_of_later_calls]=passed [kept_answer]=passed)

prelude='#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <map>
#include <random>
#include <thread>
#include <vector>

__global__ void add(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + 1;
}

void copy(float* to, const float* from, int n) { cudaMemcpy(to, from, n * sizeof(float), cudaMemcpyDefault); }

cudaStream_t other() {
  static cudaStream_t stream;
  if (!stream) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}
'
on_device='
void honest(const float* x, float* y, int n) { add<<<(n + 255) / 256, 256>>>(x, y, n); }
void side_stream(const float* x, float* y, int n) { add<<<(n + 255) / 256, 256, 0, other()>>>(x, y, n); }
'
on_host='
void launch(const float* x, float* y, int n, cudaStream_t stream) {
  static float *device_x, *device_y;
  static int room;
  if (room < n) {
    cudaFree(device_x);
    cudaFree(device_y);
    cudaMalloc(&device_x, n * sizeof(float));
    cudaMalloc(&device_y, n * sizeof(float));
    room = n;
  }
  cudaMemcpyAsync(device_x, x, n * sizeof(float), cudaMemcpyHostToDevice, stream);
  add<<<(n + 255) / 256, 256, 0, stream>>>(device_x, device_y, n);
  cudaMemcpyAsync(y, device_y, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
}
void honest(const float* x, float* y, int n) {
  launch(x, y, n, 0);
  cudaDeviceSynchronize();
}
void side_stream(const float* x, float* y, int n) { launch(x, y, n, other()); }
'

# source <form> <body>: a whole twice.cu
source_of() {
  local function="void twice(const float* x, float* y, int n) {
    $2
}"
  case $1 in
    device | edited) printf '%s%s\n%s\n' "$prelude" "$on_device" "$function" ;;
    host) printf '%s%s\n%s\n' "$prelude" "$on_host" "$function" ;;
    program) printf '#include <wb.h>\n%s%s\n%s\n%s\n' "$prelude" "$on_host" "$function" 'int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int n;
  float* const x = (float*)wbImport(wbArg_getInputFile(args, 0), &n);
  std::vector<float> y(n);
  twice(x, y.data(), n);
  wbSolution(args, y.data(), n);
  return 0;
}' ;;
  esac
}

# task <form>: its folder
task() {
  local key=
  case $1 in
    host) key='  pointers: host' ;;
    program) key='  program: -e expected.raw -i x.raw -o y.raw -t vector' ;;
    edited) key='  edit: twice' ;;
  esac
  mkdir -p "$1/solution" "$1/template" "$1-in"
  cat > "$1/task.yaml" <<YAML
opgrade: 1
name: twice
task:
  function: void twice(const float* x, float* y, int n)
${key:+$key
}  sizes:
    n: {to: 10000000}
  buffers:
    x: {extents: [n], values: "uniform(-1, 1)"}
    y: {extents: [n]}
tolerance: 1e-6
timing: {repetitions: 9, budget: 2 s}
limits: {run: {wall: 20 s}}
stages:
  - name: gpu
    device: cuda
    fixed_shapes: {shapes: [{n: 1000}, {n: 1000}, {n: 77}], points: 10}
    cases:
      - {name: large, sizes: {n: $([[ $1 == program ]] && echo 20000 || echo 1000000)}, points: 10}
YAML
  cat > "$1/reference.cpp" <<'CPP'
#include "reference.h"

void reference(const float* x, double* y, double* y_scale, long long n) {
  for (long long i = 0; i < n; ++i) y[i] = 2.0 * x[i] + 1, y_scale[i] = 3;
}
CPP
  source_of "$1" "${body[honest]}" > "$1/solution/twice.cu"
  source_of "$1" 'y[0] = n;' > "$1/template/twice.cu"
  local cheat
  for cheat in "${!body[@]}"; do
    mkdir -p "$1-in/$cheat"
    source_of "$1" "${body[$cheat]}" > "$1-in/$cheat/twice.cu"
  done
}

# op_time <report.json>: milliseconds of the case `large`, where there are some
op_time() {
  awk -F'[:,]' '/"id": "gpu\/large"/ {found = 1} found && /"op_time"/ {op = 1} op && /"median_ms"/ {print $2 + 0; exit}' "$1"
}

failures=0
printf '%-20s %-8s %-14s %s\n' cheat form outcome 'gain, us'
for form in device host program edited; do
  task $form
  "$opgrade" grade $form-in/* --config $form --unchecked --out $form-out --jobs 2 --device "$device" > log 2>&1 || true
  [[ -f $form-out/grades.csv ]] || { cat log; exit 1; }
  honest=$(op_time $form-out/honest/report.json)
  while IFS=, read -r cheat outcome _; do
    expected=${want[$cheat]}
    [[ $form == program ]] && expected=${want_of_program[$cheat]:-$expected}
    gain=-
    own=$(op_time "$form-out/$cheat/report.json")
    [[ $device == cuda && $outcome == passed && -n $own && -n $honest ]] && gain=$(awk "BEGIN {printf \"%.1f\", 1000 * ($honest - $own)}")
    good=
    [[ $outcome =~ ^($expected)$ ]] || { good=" EXPECTED $expected"; failures=$((failures + 1)); }
    printf '%-20s %-8s %-14s %s%s\n' "$cheat" $form "$outcome" "$gain" "$good"
    [[ -z $good ]] || sed -n 1,25p "$form-out/$cheat/report.txt"
  done < <(awk -F, 'NR > 1 {print $1 "," $2}' $form-out/grades.csv | sort)
done
((failures == 0))
