#!/bin/sh
# Compares the counts of the emulated device with Nsight Compute's, for the rungs 1 to 9 and for
# tests/emulation/counts/patterns.cu, at the same sizes.
#
#   tests/gpu/counts.sh emulated FOLDER [BUILD]   on any machine: FOLDER/NAME.counts
#   tests/gpu/counts.sh gpu FOLDER                on a machine with a GPU, nvcc and ncu: the table
#
# ARCH names another architecture than that of the GPU. The second step needs the repository and FOLDER alone. It takes about two minutes.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
step=${1:?emulated or gpu} folder=${2:?folder}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
programs="patterns 01 02 03 04 05 06 07 08 09"

source_of() {
  if [ "$1" = patterns ]; then echo "$root/tests/emulation/counts/patterns.cu"
  else echo "$root/tests/emulation/counts/rung.cu"; fi
}
flags_of() {
  [ "$1" = patterns ] || echo "-DOPGRADE_RUNG=rung$1 -include $(ls "$root"/kernels/"$1"_*.cu)"
}

emulated() {
  build=${1:-$root/build}
  for name in $programs; do
    # shellcheck disable=SC2046
    "$build/bin/opgrade-cucc" --count -shared -std=c++20 -I "$root" $(flags_of "$name") \
      "$(source_of "$name")" -o "$folder/$name.so"
    "$build/tests/emulation_host" "$folder/$name.so" "$folder/$name.counts" > /dev/null
    rm "$folder/$name.so"
  done
}

metrics=$(printf '%s.sum,' \
  l1tex__t_requests_pipe_lsu_mem_global_op_ld l1tex__t_requests_pipe_lsu_mem_global_op_st \
  l1tex__t_sectors_pipe_lsu_mem_global_op_ld l1tex__t_sectors_pipe_lsu_mem_global_op_st \
  smsp__inst_executed_op_shared_ld smsp__inst_executed_op_shared_st \
  smsp__sass_thread_inst_executed_op_fadd_pred_on smsp__sass_thread_inst_executed_op_fmul_pred_on \
  smsp__sass_thread_inst_executed_op_ffma_pred_on)

compile() {
  # shellcheck disable=SC2046
  nvcc -O3 -std=c++20 -arch="${ARCH:-native}" -lineinfo -I "$root" $(flags_of "$1") "$(source_of "$1")" \
    -o "$folder/$1.gpu" > "$folder/$1.log" 2>&1 || echo "$1: nvcc failed: $folder/$1.log"
}

gpu() {
  PATH=$PATH:/usr/local/cuda/bin
  ncu=$(command -v ncu || ls -d /opt/nvidia/nsight-compute/*/ncu /usr/local/cuda*/bin/ncu 2> /dev/null | tail -n 1)
  [ -n "$ncu" ] || { echo "counts.sh: no ncu" >&2; exit 2; }
  for name in $programs; do compile "$name" & done
  wait
  for name in $programs; do
    [ -x "$folder/$name.gpu" ] || continue
    timeout 40 "$ncu" --clock-control none --cache-control none --csv --page raw --print-units base \
      --metrics "${metrics%,}" "$folder/$name.gpu" > "$folder/$name.csv" 2> "$folder/$name.err" ||
      { echo "$name: ncu failed"; tail -n 3 "$folder/$name.csv" "$folder/$name.err"; }
    cuobjdump -sass "$folder/$name.gpu" > "$folder/$name.sass" 2> /dev/null || true
  done
  perl "$root/tests/gpu/counts.pl" "$folder"
}

"$step" "${3:-}"
