#!/usr/bin/env bash
# rung_times.sh FOLDER [RUNG]...: Op Time of rungs of the ladder, as submissions, beside the median by device events in the
# same process. One line a rung, batch and layer, with the difference and whether it is within 5 us or 1 %. FOLDER is
# a build or install folder with bin/ and share/. Needs a GPU, these sources, bash and awk. Exit code 1 for a larger one.
#   tests/bench/rung_times.sh build
# RUNGs: 1 9 17. $BATCHES: "100 1000 10000"; $OPGRADE_DATA: data if not FOLDER/data.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/tests/bench}
folder=$(realpath "${1:?usage: rung_times.sh FOLDER [RUNG]...}")
shift
rungs=("$@")
(($# > 0)) || rungs=(1 9 17)
[[ -n ${OPGRADE_DATA:-} ]] || export OPGRADE_DATA=$folder/data
work=$(mktemp -d "${TMPDIR:-/tmp}/opgrade-rungs-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

{
  cat << 'END'
opgrade: 1
name: rungs
title: Rungs of the ladder
interface: minidnn-3
pass_mark: 0
models:
  high: {network: fmnist-86, weights: fmnist-86-high}
timing: {repetitions: 15}
limits:
  run: {wall: 2 min, memory: 8 GiB}
stages:
  - name: gpu
    title: GPU convolution
    device: cuda
    cases:
END
  for batch in ${BATCHES:-100 1000 10000}; do echo "      - {model: high, batch: $batch, points: 1}"; done
} > rungs.yaml
for rung in "${rungs[@]}"; do
  mkdir -p "in/$rung"
  sh "$root/kernels/submission/export.sh" "$rung" "in/$rung/new-forward.cu"
done
"$folder/bin/opgrade" grade in/* --config rungs.yaml --out out --device cuda > said.txt 2>&1 || true

# "rung batch layer Op-Time events", ms: Op Time is a median of 15; events time the last call, which does not count.
for rung in "${rungs[@]}"; do
  [[ -f out/$rung/report.json ]] || { tail -n 3 said.txt; exit 2; }
  awk -v rung="$rung" '
    function number(line) {gsub(/[^0-9.e-]/, "", line); return line + 0}
    /"batch":/ {batch = number(substr($0, index($0, ":")))}
    /"layer":/ {layer = $0; sub(/^[^:]*: *"/, "", layer); sub(/".*/, "", layer)}
    /"op_time":/ {op = 1}
    op && /"median_ms":/ {time = number(substr($0, index($0, ":"))); op = 0}
    /"device_ns":/ && number(substr($0, index($0, ":"))) > 0 {
      print rung, batch, layer, time, number(substr($0, index($0, ":"))) / 1e6
    }' "out/$rung/report.json"
done > times.txt
printf '%-5s %-6s %-6s %10s %10s %9s %7s\n' rung B layer 'Op Time ms' 'events ms' 'more, us' more
awk '{
    more = 1000 * ($4 - $5); bound = $5 * 10 > 5 ? $5 * 10 : 5
    far = more > bound || -more > bound
    if (far) bad = 1
    printf "%-5s %-6s %-6s %10.4f %10.4f %9.1f %6.1f%%%s\n", $1, $2, $3, $4, $5, more, more / $5 / 10, far ? "  FAR" : ""
  }
  END {exit !NR || bad}' times.txt
