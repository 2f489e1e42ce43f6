#!/usr/bin/env bash
# run.sh <build folder> [<B>]: what the emulated device costs, on one core.
# Rungs of the ladder stand for the kinds of kernels students write. Prints a Markdown table: CPU seconds
# of the conv calls of both layers of the 86x86 network, without and with every access watched, and counted; and
# of building, beside `g++ -O2` on the same file after translation.
set -euo pipefail
build=$(realpath "${1:?usage: run.sh <build folder> [<B>]}")
batch=${2:-100}
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../../..")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
interface=$root/tests/unit/kernels/emulated
one_core=(taskset -c 0)
g++ -std=c++20 -O2 -I"$root" -I"$interface" -c "$here/main.cpp" -o main.o

# CPU seconds, the least of three: anything else on the machine only adds.
timed() {
  TIMEFORMAT='%U %S'
  for _ in 1 2 3; do
    { time "$@" >/dev/null 2>&1; } 2>&1
  done | awk '{ t = $1 + $2; if (NR == 1 || t < best) best = t } END { printf "%.2f", best }'
}

echo "B=$batch, one core of: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(g++ --version | head -1)"
echo
echo "| kernel | layer 1 | layer 2 | both | both, watched | watched / plain | both, counted | counted / watched | build | g++ -O2 of the translation | build, watched |"
echo "|--|--|--|--|--|--|--|--|--|--|--|"
for rung in 1:'one thread per output' 2:'constant memory' 3:'shared tile' 4:'unroll + shared matrix product' \
            5:'fused matrix product' 8:'direct, registers' 9:'many images' 11:'wmma TF32' 12:'wmma FP16'; do
  number=${rung%%:*} name=${rung#*:}
  "$root/kernels/submission/export.sh" "$number" new-forward.cu
  for check in --no-check --check --count; do
    "$build/bin/opgrade-cucc" $check -O2 -I"$interface" new-forward.cu main.o -lpthread -o "rung$check"
  done
  read -r first second both < <("${one_core[@]}" ./rung--no-check "$batch")
  read -r _ _ watched < <("${one_core[@]}" ./rung--check "$batch")
  read -r _ _ counted < <(OPGRADE_EMULATION_THREADS=1 "${one_core[@]}" ./rung--count "$batch")
  cucc=("$build/bin/opgrade-cucc" -O2 -I"$interface" -c new-forward.cu -o new-forward.o)
  plain=$(timed "${cucc[@]}")
  checked=$(timed "${cucc[@]}" --check)
  "${cucc[@]}" --keep
  alone=$(timed g++ -std=c++17 -O2 -c new-forward.o.new-forward.ii -o alone.o)
  printf '| %s %s | %s s | %s s | %s s | %s s | %s | %s s | %s | %s s | %s s | %s s |\n' "$number" "$name" \
    "$first" "$second" "$both" "$watched" "$(awk "BEGIN { printf \"%.1f\", $watched / $both }")" \
    "$counted" "$(awk "BEGIN { printf \"%.1f\", $counted / $watched }")" \
    "$plain" "$alone" "$checked"
done
