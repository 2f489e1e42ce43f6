#!/usr/bin/env bash
# planted_mistakes.sh <opgrade> <labs>: mistakes planted in a task's folder, one each: `opgrade task check` turns red and says
# what is wrong.
set -euo pipefail
opgrade=${1:?usage: planted_mistakes.sh <opgrade> <labs>}
labs=${2:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

# check <exit code> <text> <options>...: the folder `lab`
check() {
  local code=$1 text=$2 seen=0
  shift 2
  "$opgrade" task check lab --device emulated "$@" > out 2>&1 || seen=$?
  [[ $seen == "$code" ]] && grep -qF -- "$text" out && return
  echo "FAILED: $planted: exit code $seen, expected $code and '$text'"
  tail -20 out
  failures=$((failures + 1))
}

# planted <lab> <what> <exit code> <text> <file> <sed expression> [<what shows it>]
planted() {
  planted="$1, $2"
  rm -rf lab
  cp -r "$labs/$1" lab
  sed -i "$6" "lab/$5"
  [[ $4 != "wall time" ]] || sed -i 's/wall: 10 s/wall: 1 s/' lab/task.yaml
  ! cmp -s "lab/$5" "$labs/$1/$5" || { echo "FAILED: $planted: changes nothing"; failures=$((failures + 1)); }
  check "$3" "$4" --only "${7:-solution}"
}

# The reference.
planted ece408/reduction "another sign" 1 "WRONG     solution: wrong output" reference.cpp 's/total += x\[i\]/total -= x[i]/'
planted ece408/reduction "begins with the second" 1 "WRONG     solution" reference.cpp 's/i = 0/i = 1/'
planted ece408/reduction "writes nothing" 1 "reference.cpp: nothing of sum is written" reference.cpp 's/\*sum = total/(void)total/'
planted ece408/scan "leaves the last element out" 1 "are not written, the first is y[" reference.cpp 's/i < n/i + 1 < n/'
planted ece408/reduction "adds to what the output holds" 1 "sum[0] depends on memory that nothing has set" reference.cpp \
  's/\*sum = total/*sum += total/'
planted ece408/reduction "reads a variable that is not set" 1 "WRONG     reference.cpp: " reference.cpp 's/double total = 0/double total/'
planted ece408/scan "reads an allocation that is not set" 1 "depends on memory that nothing has set" reference.cpp \
  's/y\[i\] = total += x\[i\]/static const unsigned char* const unset = new unsigned char[1000]; y[i] = total += x[i] + unset[500]/'
planted ece408/reduction "is NaN" 1 "all of sum is NaN, and no input is" reference.cpp 's/\*sum = total/*sum = std::sqrt(-1 - total * total)/'
planted ece408/reduction "counts its calls" 1 "two calls with the same inputs" reference.cpp \
  's/\*sum = total/static int calls; *sum = total + calls++/'
planted ece408/reduction "prints" 1 "output 1 MiB" reference.cpp '1i #include <stdio.h>
s/\*sum = total/for (int i = 0; i < 1000000; ++i) puts("hello"); *sum = total/'
planted ece408/reduction "forks" 1 "wall time" reference.cpp '1i #include <unistd.h>
s/\*sum = total/for (;;) if (fork() == 0) pause()/'
planted ece408/reduction "exits" 1 "called exit(0)" reference.cpp '1i #include <stdlib.h>
s/\*sum = total/exit(0)/'
planted ece408/reduction "writes a file" 1 "reference.cpp failed" reference.cpp "1i #include <stdio.h>
s|\*sum = total|*sum = total; if (!fopen(\"$work/written\", \"w\")) __builtin_trap()|"
[[ ! -e written ]] || { echo "FAILED: reference.cpp writes outside of its sandbox"; failures=$((failures + 1)); }
planted ece408/reduction "crashes" 1 "reference.cpp failed" reference.cpp 's/\*sum = total/*(volatile int*)8 = 1/'
planted ece408/reduction "loops" 1 "wall time" reference.cpp 's/\*sum = total/for (;;) total += 1/'
planted ece408/reduction "does not build" 2 "generate.cpp does not build" reference.cpp 's/double total/double totals/'

# Inputs, tolerance and sizes.
planted ece408/reduction "a trivial answer" 1 "some case accepts it" task.yaml 's/integers(-8, 8)/constant(0)/' \
  "reduction.cu: writes zeros"
planted ece408/reduction "a tolerance of the sum of all terms" 1 "some case accepts it" task.yaml \
  's/tolerance: 1e-7/tolerance: 1/' "reduction.cu: writes zeros"
planted softmax "no tolerance" 1 "widen \`tolerance\`" task.yaml 's/^tolerance:.*/tolerance: 3e-8/' \
  passed/thread_a_row
planted ece408/reduction "sizes of one block" 1 "WRONG     submissions/wrong_output" task.yaml \
  's/to: 100000000/to: 200, random: 200/; /large/d; /huge/d; /cases:/d; s/points: 40/points: 50/' wrong_output/one_block
planted ece408/reduction "an extent that is no size" 2 "task.yaml:" task.yaml 's/extents: \[n\]/extents: [m]/'
planted ece408/reduction "a key that is none" 2 "tolerence" task.yaml 's/^tolerance/tolerence/'
planted ece408/sparse_product "rows that are not added up" 1 "validate.cpp refuses the inputs" generate.cpp \
  's/row_start\[row + 1\] += row_start\[row\]/row_start[row + 1] -= row_start[row]/'
planted ece408/sparse_product "a generator that crashes" 1 "generate.cpp failed" generate.cpp 's/++row_start\[1/++row_start[(1LL << 50)/'
planted ece408/sparse_product "a generator of other parameters" 2 "but opgrade calls \`void generate(unsigned long long seed, int* row_start" \
  generate.cpp 's/void generate(unsigned long long seed/void generate(unsigned seed/'
planted ece408/sparse_product "a validator of another type" 2 "but opgrade calls \`const char* validate(" validate.cpp \
  's/const char\* validate(/bool validate(/'
planted ece408/sparse_product "a validator that accepts nothing" 1 "validate.cpp refuses the inputs" validate.cpp 's/return nullptr/return "no"/'

# Samples, solution and mutants.
planted ece408/reduction "a wrong solution" 1 "WRONG     solution: wrong output" solution/reduction.cc 's/int i = 0/int i = 1/'
# moved <what> <from> <to> <text> <options>...
moved() {
  local text=$4
  planted="reduction, $1"
  rm -rf lab
  cp -r "$labs/ece408/reduction" lab
  mkdir -p "lab/submissions/$(dirname "$3")"
  mv "lab/submissions/$2" "lab/submissions/$3"
  shift 4
  check 1 "$text" "$@"
}
moved "a right sample called wrong" passed/one_atomic_each wrong_output/one_atomic_each \
  "it belongs into submissions/passed/, and lies in wrong_output/" \
  --only wrong_output/one_atomic_each
moved "a wrong sample called right" wrong_output/one_block passed/one_block \
  "it belongs into submissions/wrong_output/, and lies in passed/" \
  --only passed/one_block
moved "a sample that crashes, it says" wrong_output/one_block crashed/one_block "into submissions/wrong_output/" \
  --only crashed/one_block
moved "samples of no outcome" wrong_output wrong_answer "no outcome has this name" --only solution
moved "the list of outcomes" wrong_output wrong "crashed, exited_early, out_of_time, out_of_memory, over_limit" --only solution
planted="reduction, a sample with another file"
rm -rf lab
cp -r "$labs/ece408/reduction" lab
mkdir lab/submissions/wrong_output/other
cp lab/solution/reduction.cu lab/submissions/wrong_output/other/sum.cu
check 1 "rename its file to reduction.cc or reduction.cu" --only wrong_output/other
# Without --only all is tried, and what is missing is told.
moved "no right sample" passed ../elsewhere "add a right submission" --mutants 0
planted="reduction, --only of nothing"
check 2 "there is nothing named passed/none to try" --only passed/none
((failures == 0)) || exit 1
echo "planted mistakes: as expected"
