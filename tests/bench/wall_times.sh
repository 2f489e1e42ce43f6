#!/usr/bin/env bash
# wall_times.sh FOLDER [RUNS]: what a person waits for, from the command to the prompt, beside nvcc's own time for the same file.
# Times are printed, never judged (goal: nvcc's and 0.5 s at B=100, 1.0 s at B=10000, on an H200). FOLDER is a build or install
# folder.
# $SUBMISSION: reference/solution/minidnn-3; $CONFIG: tests/configs/class-gpu.yaml; $STAGE: gpu/high.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/tests/bench}
folder=$(realpath "${1:?usage: wall_times.sh FOLDER [RUNS]}")
runs=${2:-5}
submission=$(realpath "${SUBMISSION:-$root/reference/solution/minidnn-3}")
config=${CONFIG:-$root/tests/configs/class-gpu.yaml}
stage=${STAGE:-gpu/high}
[[ -n ${OPGRADE_DATA:-} ]] || export OPGRADE_DATA=$folder/data
work=$(mktemp -d "${TMPDIR:-/tmp}/opgrade-wall-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
share=$folder/share/opgrade
cuda=${CUDA_HOME:-/usr/local/cuda}
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)

# Each run's seconds, then median and range.
measure() {
  local name=$1 times=()
  shift
  for ((i = 0; i < runs; i++)); do
    local begin=$EPOCHREALTIME
    "$@" >said.txt 2>&1 </dev/null || { [[ $? -lt 2 ]] || { cat said.txt; exit 1; }; }
    times+=("$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN {printf "%.3f", b - a}')")
  done
  printf '%s\n' "${times[@]}" | sort -n | awk -v name="$name" '
    {time[NR] = $1} END {printf "%-28s %6.2f s  (%.2f to %.2f s, %d runs)\n", name, time[int((NR + 1) / 2)], time[1], time[NR], NR}'
}

echo "$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1), $(nproc) cores, load $(cut -d ' ' -f 1-3 /proc/loadavg)"
measure nvcc "$cuda/bin/nvcc" -std=c++17 -arch=sm_$arch -lineinfo -O3 -Xcompiler=-fPIC "-I$submission" "-I$share/adapters/minidnn-3/include" -c "$submission/new-forward.cu" -o nvcc.o
for batch in 100 10000; do
  measure "check B=$batch" "$folder/bin/opgrade" check "$submission" --config "$config" --only "$stage/$batch" --quiet
done
