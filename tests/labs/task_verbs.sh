#!/usr/bin/env bash
# task_verbs.sh <opgrade> <a lab>: init, publish and diff of a task's folder, and what `task check` says of mistakes
# planted in one.
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

expect 0 "opgrade task check sums" "$opgrade" task init sums
expect 2 "is not empty" "$opgrade" task init sums
[[ -f sums/solution/sums.cu ]] || fail "task init does not name the files after the folder"
expect 0 "PASSED" "$opgrade" check sums/solution --config sums --device emulated
expect 0 "nothing that decides a grade changed" "$opgrade" task diff sums sums

# A student's folder grades like the lecturer's.
sed -i 's/large, sizes/large, hidden: true, sizes/' sums/task.yaml
expect 0 "opgrade check MY_FOLDER --config public" "$opgrade" task publish sums public
[[ ! -e public/submissions ]] || fail "task publish copies the samples"
! grep -q hidden public/task.yaml || fail "task publish leaves a hidden case"
grep -q '^tolerance.*# of the sum' public/task.yaml || fail "task publish loses comments"
expect 0 "Write sums.cc and sums.cu, then run: opgrade check mine --config public" "$opgrade" init mine --task public
expect 2 "is not empty" "$opgrade" init mine --task public
expect 2 "exclude each other" "$opgrade" init other --task public --term minidnn
[[ -f mine/sums.h && -f mine/sums.cu && -f mine/README.md ]] || fail "init --task lacks a file"
expect 1 "wrong output" "$opgrade" check mine --config public --device emulated
expect 1 "gpu/large: gone" "$opgrade" task diff sums public
expect 0 "PASSED" "$opgrade" check sums/solution --config public --device emulated

# Groups and constructs: points by the share of right cases, after others, and by tokens of the sources.
cp -r "$lab" parts
sed -i '/^findings/d; /name: huge/d; s/points: 10}/group: sizes}/; s/^pass_mark.*/pass_mark: 0/' parts/task.yaml
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

# planted <exit code> <text> <file> <sed expression>
planted() {
  rm -rf lab
  cp -r "$lab" lab
  # Three samples suffice here; labs.* tests have all.
  rm -rf lab/submissions/mistake_found lab/submissions/wrong_output/{answer,no_barrier}*
  sed -i "$4" "lab/$3"
  ! cmp -s "lab/$3" "$lab/$3" || fail "$4 changes nothing"
  expect "$1" "$2" "$opgrade" task check lab --device emulated --mutants 0
}
planted 1 "WRONG     solution: wrong output" reference.cpp 's/total += x\[i\]/total -= x[i]/'
planted 1 "WRONG     solution" reference.cpp 's/i = 0/i = 1/'
planted 1 "two calls with the same inputs" reference.cpp 's/\*sum = total/static int calls; *sum = total + calls++/'
planted 1 "output 1 MiB" reference.cpp '1i #include <stdio.h>
s/\*sum = total/for (int i = 0; i < 1000000; ++i) puts("hello"); *sum = total/'
planted 1 "wall time" reference.cpp '1i #include <unistd.h>
s/\*sum = total/for (;;) if (fork() == 0) pause()/'
planted 1 "left the process" reference.cpp '1i #include <stdlib.h>
s/\*sum = total/exit(0)/'
planted 1 "reference.cpp failed" reference.cpp "1i #include <stdio.h>
s|\*sum = total|*sum = total; if (!fopen(\"$work/written\", \"w\")) __builtin_trap()|"
[[ ! -e written ]] || fail "reference.cpp writes outside of its sandbox"
planted 1 "reference.cpp failed" reference.cpp 's/\*sum = total/*(volatile int*)8 = 1/'
planted 1 "wall time" reference.cpp 's/\*sum = total/for (;;) total += 1/'
planted 2 "reference.cpp does not build" reference.cpp 's/double total/double totals/'
planted 1 "some case accepts it" task.yaml 's/integers(-8, 8)/constant(0)/'
planted 1 "some case accepts it" task.yaml 's/tolerance: 1e-7/tolerance: 1/'
planted 1 "WRONG     submissions/wrong_output" task.yaml 's/to: 100000000/to: 200, random: 200/; /large/d; /huge/d; /cases:/d; s/points: 40/points: 50/'
planted 2 "task.yaml:" task.yaml 's/extents: \[n\]/extents: [m]/'
planted 2 "tolerence" task.yaml 's/^tolerance/tolerence/'
rm -rf lab
cp -r "$lab" lab
mv lab/submissions/wrong_output lab/submissions/wrong_answer
expect 1 "no outcome has this name" "$opgrade" task check lab --device emulated --mutants 0
((failures == 0)) || exit 1
echo "task verbs: as expected"
