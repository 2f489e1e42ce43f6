#!/usr/bin/env bash
# What a GPU does with each planted mistake of tests/emulation/mistakes: the evidence of what
# docs/emulation.md says of findings. Each is built with nvcc and runs in a process of its own, three times.
# One line a mistake, sorted by kind: kind, name, what happened. Needs nvcc, a GPU, bash and awk.
#   tests/gpu/mistakes.sh [NVCC [ARCH]]
set -u
nvcc=${1:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
arch=${2:-native}
here=$(cd "$(dirname "$0")/../emulation/mistakes" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/opgrade-mistakes-XXXXXX")
trap 'rm -rf "$work"' EXIT
cat > "$work/main.cu" <<'EOF'
#include <cstdio>
extern "C" int run();
int main() {
  const int result = run();
  cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) error = cudaGetLastError();
  if (error != cudaSuccess) return std::printf("%s\n", cudaGetErrorName(error)), 1;
  std::printf("no error, returns %d\n", result);
}
EOF
"$nvcc" -arch="$arch" -rdc=true -c "$work/main.cu" -o "$work/main.o" || exit 1

runs() {  # in one line
  local status output
  output=$(timeout -k 2 20 "$work/program" 2>&1)
  status=$?
  case $status in
    0 | 1) tail -n 1 <<< "$output" ;;
    124 | 137) echo "no end within 20 s" ;;
    *) echo "ends by signal $((status - 128))" ;;
  esac
}

for folder in "$here"/*/; do
  kinds=$(awk -F'"' '$2 == "kind" {print $4}' "$folder/expect.json" | sort -u | paste -sd,)
  if "$nvcc" -arch="$arch" -std=c++17 -rdc=true -include cstdio "$folder/broken.cu" "$work/main.o" -o "$work/program" > "$work/log" 2>&1; then
    seen=$(for _ in 1 2 3; do runs; done | sort -u | paste -sd';')
  else
    seen="nvcc refuses: $(grep -m 1 error "$work/log" | sed 's/.*error/error/')"
  fi
  printf '%-28s %-26s %s\n' "$kinds" "$(basename "$folder")" "$seen"
done | sort
