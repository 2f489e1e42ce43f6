#!/usr/bin/env bash
# Runs the sources of tests/corpus/cuda/table.txt that nvcc takes on a GPU, each in a process of its own, and compares with the column
# "H100". One line a source: `same` or `OTHER`, its name, the table's word, what was seen. The exit status is 1 if one differs.
# Needs nvcc, a GPU, bash and awk.
#   tests/gpu/table.sh [NVCC [ARCH]]
set -u
nvcc=${1:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
arch=${2:-native}
corpus=$(cd "$(dirname "$0")/../corpus/cuda" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/opgrade-table-XXXXXX")
trap 'rm -rf "$work"' EXIT
awk -F' [|] ' -v work="$work" '
  /^=== / { file = ""; if ($3 == "takes") { file = work "/" ++n ".cu"; print $2 "\t" $4 > (file ".name") } next }
  file != "" { print > file }' "$corpus/table.txt"
build() {  # build SOURCE.cu: its program, or nvcc's words
  cat > "$1.main.cu" <<MAIN
#include "$corpus/start.cuh"
#include "$1"
#include <cstdio>
int main() {
  const int result = run();
  const cudaError_t error = cudaDeviceSynchronize();
  std::puts(error != cudaSuccess ? "error" : result == 0 ? "right" : "wrong");
}
MAIN
  "$nvcc" -arch="$arch" -std=c++17 -o "$1.program" "$1.main.cu" > "$1.log" 2>&1
}
export -f build
export corpus nvcc arch
mapfile -t sources < <(ls "$work"/*.cu | sort -V)
printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'build "$1"' _
different=0
for source in "${sources[@]}"; do
  IFS=$'\t' read -r name wanted < "$source.name"
  if [ -x "$source.program" ]; then
    seen=$(timeout -k 2 20 "$source.program" 2> /dev/null | tail -n 1)
  else
    seen="nvcc refuses: $(grep -m 1 error "$source.log")"
  fi
  word=same
  # A race may be right, and what is undefined may end in any way.
  case $wanted/$seen in
    right/right | wrong/wrong | wrong/error | error/error | error/ | race/* | undefined/*) ;;
    *) word=OTHER different=1 ;;
  esac
  printf '%-6s %-50s %-6s %s\n' "$word" "$name" "$wanted" "$seen"
done
exit $different
