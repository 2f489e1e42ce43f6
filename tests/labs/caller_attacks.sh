#!/usr/bin/env bash
# caller_attacks.sh <opgrade> [emulated | cuda]: submissions for a task whose staff call setup() and three times step(), on a CPU
# and in CUDA: attacks on the caller, with honest controls. One line a submission and stage; exit code 0 if all are as expected.
set -euo pipefail
opgrade=${1:?usage: caller_attacks.sh <opgrade> [emulated | cuda]}
device=${2:-emulated}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p thrice/solution thrice/template in

cat > thrice/task.yaml <<'YAML'
opgrade: 1
name: thrice
task:
  function: void thrice(const float* x, float* y, int n)
  sizes:
    n: {to: 10000000}
  buffers:
    x: {extents: [n], values: "uniform(-1, 1)"}
    y: {extents: [n]}
tolerance: 1e-6
limits: {run: {wall: 20 s}}
stages:
  - {name: host, device: cpu, fixed_shapes: {shapes: [{n: 1000}, {n: 1000}, {n: 1000}, {n: 77}], points: 10}}
  - {name: gpu, device: cuda, fixed_shapes: {shapes: [{n: 1000}, {n: 1000}, {n: 1000}, {n: 77}], points: 10},
     cases: [{name: large, sizes: {n: 100000}, points: 10}]}
YAML
cat > thrice/reference.cpp <<'CPP'
#include "reference.h"

void reference(const float* x, double* y, double* y_scale, long long n) {
  for (long long i = 0; i < n; ++i) y[i] = 3.0 * x[i], y_scale[i] = 3;
}
CPP
cat > thrice/types.h <<'CPP'
namespace work {
void setup(const float* x, float* y, int n);
void step(const float* x, float* y, int n);
}
CPP
cat > thrice/call.cpp <<'CPP'
#include "types.h"

static int steps() { return 3; }

void thrice(const float* x, float* y, int n) {
  work::setup(x, y, n);
  for (int i = 0; i < steps(); ++i) work::step(x, y, n);
}
CPP
cp thrice/call.cpp thrice/call.cu

prelude='#include <stdlib.h>

#include <map>
#include <random>
#include <thread>
#include <vector>

#include "types.h"
'
on_host='
void copy(float* to, const float* from, int n) { for (int i = 0; i < n; ++i) to[i] = from[i]; }
float* room(int n) { return new float[n]; }
void clear(float* y, int n) { for (int i = 0; i < n; ++i) y[i] = 0; }
void add(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] += x[i]; }
void right(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = 3 * x[i]; }
'
on_device='
__global__ void add_one(const float* x, float* y, int n, float by, float keep) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (keep != 0 ? y[i] : 0) + by * x[i];
}
void copy(float* to, const float* from, int n) { cudaMemcpy(to, from, n * sizeof(float), cudaMemcpyDefault); }
float* room(int n) {
  float* y = nullptr;
  cudaMalloc(&y, n * sizeof(float));
  return y;
}
void clear(float* y, int n) { cudaMemset(y, 0, n * sizeof(float)); }
void add(const float* x, float* y, int n) { add_one<<<(n + 255) / 256, 256>>>(x, y, n, 1, 1); }
void right(const float* x, float* y, int n) { add_one<<<(n + 255) / 256, 256>>>(x, y, n, 3, 0); }
'
honest='
void work::setup(const float*, float* y, int n) { clear(y, n); }
void work::step(const float* x, float* y, int n) { add(x, y, n); }
'
idle='
void work::setup(const float*, float* y, int n) { clear(y, n); }
void work::step(const float*, float*, int) {}
'
whole='thrice(const float* x, float* y, int n) { right(x, y, n); }
'
declare -A text=(
  [honest]=$honest
  [honest_with_staffs_files]=$honest
  [honest_with_staffs_names]="$honest
    namespace { int steps() { return 7; } }
    static void $whole
    float use(const float* x, float* y, int n) { thrice(x, y, n); return steps(); }"
  [honest_with_paths]=$honest
  [honest_in_setup]='void work::setup(const float* x, float* y, int n) { right(x, y, n); }
    void work::step(const float*, float*, int) {}'
  [other_files_beside_right_ones]=$honest
  [other_files_beside_wrong_ones]=$idle
  [other_types_with_macros]=$honest
  [replaced_function]="$idle void $whole"
  [replaced_c_function]="$idle extern \"C\" void $whole"
  [replaced_weak_function]="$idle __attribute__((weak)) void $whole"
  [replaced_helper]="$idle int steps() { return 0; }"
  [replaced_table]="$honest extern \"C\" const void* opgrade_get_submission() { return nullptr; }"
  [constructor_before_main]="static std::vector<float>* guess;
    __attribute__((constructor)) static void early() {
      std::mt19937_64 random(1);
      guess = new std::vector<float>(100000);
      for (float& one : *guess) one = 3 * std::uniform_real_distribution<float>(-1, 1)(random);
    }
    void work::setup(const float*, float* y, int n) { copy(y, guess->data(), n); }
    void work::step(const float*, float*, int) {}"
  [kept_answer]='static std::map<int, std::vector<float>> kept;
    static int calls;
    void work::setup(const float* x, float* y, int n) {
      if (kept.count(n)) { copy(y, kept[n].data(), n); return; }
      right(x, y, n);
      kept[n].resize(n);
      copy(kept[n].data(), y, n);
    }
    void work::step(const float*, float*, int) {}'
  [kept_input]='static std::map<int, float*> kept;
    void work::setup(const float* x, float* y, int n) {
      if (!kept.count(n)) copy(kept[n] = room(n), x, n);
      clear(y, n);
    }
    void work::step(const float*, float* y, int n) { add(kept[n], y, n); }'
  [fewer_steps]='static int calls;
    void work::setup(const float*, float* y, int n) { clear(y, n); }
    void work::step(const float* x, float* y, int n) { if (calls++ < 3) add(x, y, n); }'
)
# The builds that watch refuse what may hide code from them.
declare -A want=([replaced_table]=build_failed [replaced_weak_function]='wrong_output|refused')
for name in "${!text[@]}"; do
  mkdir -p "in/$name"
  printf '%s%s%s\n' "$prelude" "$on_host" "${text[$name]}" > "in/$name/thrice.cc"
  printf '%s%s%s\n' "$prelude" "$on_device" "${text[$name]}" > "in/$name/thrice.cu"
  case $name in
    honest* | *beside_right_ones | *with_macros) : "${want[$name]:=passed}" ;;
    *) : "${want[$name]:=wrong_output}" ;;
  esac
done
cp thrice/types.h thrice/call.cu thrice/call.cpp in/honest_with_staffs_files
mkdir in/honest_with_paths/include
cp thrice/types.h in/honest_with_paths/include
sed -i 's|"types.h"|"include/types.h"|' in/honest_with_paths/thrice.cc
sed -i 's|"types.h"|"../src/types.h"|' in/honest_with_paths/thrice.cu
for file in call.cpp call.cu; do
  printf '%s\n' 'void right(const float* x, float* y, int n);' "void $whole" |
    tee in/other_files_beside_wrong_ones/$file > /dev/null
  echo 'void thrice(const float*, float*, int) {}' > in/other_files_beside_right_ones/$file
done
mkdir in/other_files_beside_right_ones/include
{ cat thrice/types.h; echo '#define setup step'; } | tee in/other_types_with_macros/types.h > in/other_files_beside_right_ones/include/types.h
cp in/honest/thrice.cc in/honest/thrice.cu thrice/solution
cp in/honest/thrice.cc in/honest/thrice.cu thrice/template

"$opgrade" grade in/* --config thrice --unchecked --out out --jobs 2 --device "$device" > log 2>&1 || true
[[ -f out/grades.csv ]] || { cat log; exit 1; }
failures=0
# outcome_of <stage> <report.json>
outcome_of() {
  awk -v stage="$1" -F'"' '$2 == "stages" {inside = 1} inside && $2 == "name" {now = $4} inside && now == stage && $2 == "outcome" {print $4}' "$2"
}
for name in $(printf '%s\n' "${!text[@]}" | sort); do
  for stage in host gpu; do
    all=$(outcome_of $stage "out/$name/report.json" | sort -u) || true
    outcomes=$(grep -vxF passed <<< "$all" | head -1) || true
    outcomes=${outcomes:-${all:-no report}}
    good=
    [[ $outcomes =~ ^(${want[$name]})$ ]] || { good=" EXPECTED ${want[$name]}"; failures=$((failures + 1)); }
    printf '%-32s %-5s %s%s\n' "$name" $stage "$outcomes" "$good"
    [[ -z $good ]] || sed -n 1,30p "out/$name/report.txt"
  done
done
"$opgrade" check-config thrice > whole.yaml 2> about
grep -qxF 'caller: call.cpp, call.cu' about
# What students get.
"$opgrade" init --task thrice mine > /dev/null
for file in call.cu call.cpp; do cmp thrice/$file mine/$file; done
grep -q 'namespace work' mine/types.h
((failures == 0))
