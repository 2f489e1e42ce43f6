#!/bin/sh
# measure.sh <build folder> [batch]: what the emulated device costs, as the rows of a Markdown table.
# Both layers of the 86x86 network on one core: seconds in the launches, without and with the checks;
# seconds to build, and to compile the translated file with `g++ -O2` alone.
set -eu
build=$1
export OPGRADE_BENCH_BATCH=${2:-100} OPGRADE_EMULATION_THREADS=1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

user_seconds() {  # of the command, itself and its children
  { command time -f '%U %S' "$@" >/dev/null; } 2>&1 | tail -1 | awk '{ printf "%.2f", $1 + $2 }'
}
launches() { "$build/tests/emulation_host" "$1" | sed -n 's/^seconds \([0-9.]*\) right$/\1/p'; }

echo "| kernel | plain, s | with checks, s | ratio | build, s | g++ -O2 alone, s |"
echo "|--|--|--|--|--|--|"
for name in basic shared_tile unroll_matmul wmma; do
  cucc="$build/bin/opgrade-cucc -O2 -std=c++17 -shared"
  $cucc -o "$work/plain.so" "$here/$name.cu"
  $cucc --check -o "$work/checked.so" "$here/$name.cu"
  built=$(user_seconds $cucc -o "$work/plain.so" "$here/$name.cu")
  $cucc --keep -o "$work/keep.so" "$here/$name.cu"
  alone=$(user_seconds g++ -O2 -std=c++17 -fPIC -c -x c++-cpp-output "$work/keep.so.$name.ii" -o "$work/alone.o")
  plain=$(launches "$work/plain.so")
  checked=$(launches "$work/checked.so")
  awk -v n="$name" -v p="$plain" -v c="$checked" -v b="$built" -v a="$alone" \
    'BEGIN { printf "| %s | %.2f | %.2f | %.1f | %.2f | %.2f |\n", n, p, c, c / p, b, a }'
done
