#!/usr/bin/env bash
# task_verbs.sh <opgrade> <a lab>: init, publish and diff of a task's folder, groups and constructs.
set -euo pipefail
opgrade=${1:?usage: task_verbs.sh <opgrade> <lab>}
lab=${2:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}
# expect <exit code> <text> <command>...
expect() {
  local code=$1 text=$2 seen=0
  shift 2
  "$@" >out 2>&1 || seen=$?
  [[ $seen == "$code" ]] || { fail "$*: exit code $seen, expected $code"; tail -20 out; }
  grep -qF -- "$text" out || { fail "$*: '$text' is missing"; tail -20 out; }
}

expect 0 "opgrade task check sums" "$opgrade" task init sums --cpu
expect 0 "opgrade task check gpu_sums" "$opgrade" task init gpu_sums
! find gpu_sums -name "*.cc" | grep -q . || fail "task init writes sources of the CPU unasked"
! grep -q 'schema=' gpu_sums/task.yaml || fail "task init names a schema that is not there"
expect 0 "points of all: 100" "$opgrade" check-config gpu_sums
for text in "function: void reduce(const float* x, float* sum, int n)" "sizes of gpu/large: n=1000003 kind=1" \
  "sizes of gpu/random: 10 times n from 1 to 2000, kind from 1 to 3"; do
  grep -qF "$text" out || fail "check-config lacks '$text'"
done
expect 0 "opgrade task check scale" "$opgrade" task init scale --function "void scale(float a, const float* x, float* y, int n)"
expect 0 "points of all: 100" "$opgrade" check-config scale
grep -q 'void reference(float a, const float\* x, double\* y, double\* y_scale, long long n)' scale/reference.cpp ||
  fail "task init --function lacks the prototype of reference()"
expect 1 "nothing of y is written" "$opgrade" check scale/solution --config scale --device emulated
# Files are named after the function, or have the folder's name as a name of C++.
expect 0 "opgrade task check two" "$opgrade" task init two --function "void two(float* x, float* y, int n)"
[[ $(grep -c '# an output; `role: in`' two/task.yaml) -eq 2 ]] ||
  fail "task init --function does not say that pointers without const are outputs"
expect 2 "write types.h into the new folder" "$opgrade" task init particles --function "void f(particle* x, int n)"
expect 0 "opgrade task check 02_matmul" "$opgrade" task init 02_matmul --function "void solve(const float* x, float* y, int n)"
expect 0 "files of gpu: solve.cu" "$opgrade" check-config 02_matmul
grep -qF "opgrade check . --config ../02_matmul" 02_matmul/statement.md || fail "the statement does not name the folder"
for folder in 03_sum "lab 4: sum" my-sum; do
  expect 0 "opgrade task check" "$opgrade" task init "$folder"
  [[ $(find "$folder/solution" -name "*.cu" -printf '%f') =~ ^[a-z_]*sum.cu$|^lab_4_sum.cu$ ]] || fail "a file of $folder has no name of C++"
  expect 0 "PASSED" "$opgrade" check "$folder/solution" --config "$folder" --device emulated
done
expect 2 "--function: " "$opgrade" task init other --function "int"
expect 2 "is not empty" "$opgrade" task init sums
[[ -f sums/solution/sums.cu ]] || fail "task init does not name the files after the folder"
expect 0 "PASSED" "$opgrade" check sums/solution --config sums --device emulated
expect 0 "nothing that decides a grade changed" "$opgrade" task diff sums sums
# On a terminal a line says what runs; elsewhere there is no more than the findings.
script -qec "'$opgrade' task check gpu_sums --device emulated --mutants 1 --fresh" terminal >/dev/null
for text in 'solution (emulated)' 'solution (emulated): gpu/large: running' 'guess 1 of ' 'planted mistake (emulated): line' \
  'sample 2 of 6 (emulated): submissions/mistake_found/'; do
  grep -qF -- "$text" terminal || { fail "task check on a terminal lacks '$text'"; tr '\r' '\n' <terminal | tail -40; }
done
expect 0 "ok        solution: " "$opgrade" task check gpu_sums --only solution --device emulated
! grep -q 'running' out || fail "task check writes progress into a file"
cp -r gpu_sums narrow
sed -i 's/^tolerance: [^ ]*/tolerance: 5e-7/; s/n: 1000003, kind: 1/n: 1, kind: 2/' narrow/task.yaml
sed -i 's/atomicAdd(sum, part\[0\])/atomicAdd(sum, part[0] * 1.0000005f)/' narrow/solution/*.cu
expect 0 "so right submissions may fail with other inputs" "$opgrade" task check narrow --only solution --device emulated

# A student's folder grades like the lecturer's.
sed -i 's/large, sizes/large, hidden: true, sizes/' sums/task.yaml
expect 2 "--unchecked publishes all the same" "$opgrade" task publish sums public
[[ ! -e public ]] || fail "task publish writes a folder that it refuses"
expect 0 "opgrade check MY_FOLDER --config public" "$opgrade" task publish sums public --unchecked
grep -qF "opgrade check . --config ../sums" public/statement.md || fail "the statement lacks the students' command"
[[ ! -e public/submissions ]] || fail "task publish copies the samples"
! grep -q hidden public/task.yaml || fail "task publish leaves a hidden case"
! grep -q '#' public/task.yaml || fail "task publish leaves staff's comments"
[[ ! -e public/solution ]] || fail "task publish gives the solution away"
expect 0 "Write sums.cc and sums.cu, then run: opgrade check mine" "$opgrade" init mine --task public
expect 2 "is not empty" "$opgrade" init mine --task public
expect 2 "exclude each other" "$opgrade" init other --task public --term minidnn
[[ -f mine/sums.h && -f mine/sums.cu && -f mine/README.md ]] || fail "init --task lacks a file"
expect 1 "wrong output" "$opgrade" check mine --device emulated
expect 1 "gpu/large: gone" "$opgrade" task diff sums public
expect 0 "PASSED" "$opgrade" check sums/solution --config public --device emulated
# Without a solution to try the device with, a crash is the submission's.
cp -r sums/solution crashing
sed -i 's/^void reduce(.*{$/&\n  __builtin_trap();/' crashing/sums.cu
expect 1 "crashed" "$opgrade" check crashing --config public --device emulated --only gpu
# The mark is the same share of fewer points; what a student's folder lacks is said when it is read.
expect 0 "points of all: 80; 80 to pass" "$opgrade" check-config public
mv public/reference.cpp .
expect 2 "there is no $work/public/reference.cpp" "$opgrade" check sums/solution --config public
mv reference.cpp public

# Another form of the exercise: students get its files alone.
expect 0 "opgrade check MY_FOLDER" "$opgrade" task publish "$lab/reduction_program.yaml" both --unchecked
expect 0 "Write reduction_program.cu, then run" "$opgrade" init program --task both/reduction_program.yaml
[[ -f program/reduction_program.cu && ! -e program/reduction.cu ]] || fail "init --task gives another form's files"
expect 0 "Write reduction.cc and reduction.cu, then run" "$opgrade" init function --task both
expect 0 "run: opgrade check scans" "$opgrade" init scans --task scan
expect 2 "there is no folder or lab 'scna'" "$opgrade" init others --task scna
[[ -f function/reduction.cu && ! -e function/reduction_program.cu ]] || fail "init --task gives another form's files"

# Groups and constructs: points by the share of right cases, after others, and by tokens of the sources.
cp -r "$lab" parts
sed -i '/^findings/d; s/points: 20}/group: sizes}/; s/^pass_mark.*/pass_mark: 0/' parts/task.yaml
sed -i '/^stages:/,$s/count: 10, points: 40/count: 10, group: sizes, visibility: name/' parts/task.yaml
sed -i '/^stages:/,/name: gpu/s/group: sizes, visibility: name/points: 40/' parts/task.yaml
cat >>parts/task.yaml <<YAML
      - {name: two, sizes: {n: 2, kind: 1}, group: sizes}
      - {name: one, sizes: {n: 1, kind: 1}, group: last, points: 7}
    groups:
      - {name: sizes, score: fraction, points: 30}
      - {name: last, requires: sizes}
    constructs:
      - {require: __shared__, points: 3}
      - {forbid: "cub::"}
YAML
expect 1 "gpu/group sizes: new, 30 points, score fraction" "$opgrade" task diff "$lab" parts
grep -q "gpu/forbid cub::: new" out || { fail "task diff lacks a construct"; cat out; }
cp -r "$lab/solution" right
expect 0 "80 of 80 points" "$opgrade" check right --config parts --device emulated
cp -r right small
printf '#include "reduction.h"\n__global__ void add(const float* x, float* sum, int n) { *sum = n > 2 ? NAN : x[0] + (n > 1 ? x[1] : 0); }\nvoid reduce(const float* x, float* sum, int n) { add<<<1, 1>>>(x, sum, n); }\n' >small/reduction.cu
expect 1 "50 of 80 points" "$opgrade" check small --config parts --device emulated
grep -q "1 of 3 cases are right" out || { fail "the share of right cases is not told"; cat out; }
grep -q "no points before all cases of sizes are" out || { fail "the requirement is not told"; cat out; }
grep -q "there is no __shared__ in reduction.cu" out || { fail "the construct is not told"; cat out; }
sed -i '2i using cub::Sum;' small/reduction.cu
expect 1 "reduction.cu:2: cub::, which the course forbids" "$opgrade" check small --config parts --device emulated
((failures == 0)) || exit 1
echo "task verbs: as expected"
