#!/usr/bin/env bash
# What the cheats against the clock gain: grades each, and the honest submission that it is built on, with
# nothing but bash, awk and opgrade's programs (a build or an install folder). One line a convolution: honest
# Op Time, the cheat's, the gain, and whether it is within 10 us or 1 % of the call, whichever is more. Medians
# of ROUNDS gradings (3), JOBS parallel submissions (1). Exit code 1 when a gain is beyond that.
# The gain on a GPU is the honest Op Time less the cheat's. On the CPU it is the time that a call is known to last less
# the cheat's Op Time: a busy machine makes the honest one longer than that.
#   tests/corpus/cheats/gain.sh FOLDER [--device cpu|cuda] [CHEAT]...
# A call on the CPU lasts 2 ms for one image and 20 ms for eight; on a GPU it is rung 17 of the ladder at BATCHES
# (100 1000 10000). OPGRADE_DATA names the folder with fmnist-86.h5.
set -u
here=$(cd "$(dirname "$0")" && pwd)
opgrade=$(cd "${1:?the build or install folder}" && pwd)/bin/opgrade
shift
device=cpu
[ "${1:-}" = --device ] && { device=$2; shift 2; }
: "${OPGRADE_DATA:=$(dirname "$opgrade")/../data}"
export OPGRADE_DATA
work=$(mktemp -d "${TMPDIR:-/tmp}/opgrade-gain-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

value() { sed -n "s/^$2: *\"\{0,1\}\([^\"]*\)\"\{0,1\}$/\1/p" "$here/$1/expect.yaml"; }

source=cpu-new-forward.cc options=()
[ "$device" = cuda ] && source=new-forward.cu options=(--device cuda)

# Classes from C66 on are against the clock. C70 is no lie about a time that everybody can see: it must be caught.
cheats=("$@")
if [ $# = 0 ]; then
  for folder in "$here"/*/; do
    name=$(basename "$folder")
    [ -f "$folder/expect.yaml" ] || continue
    class=$(value "$name" class)
    [ -f "$folder/$source" ] && [[ ${class:-C00} > C65 ]] && [ "$class" != C70 ] && cheats+=("$name")
  done
fi

control_of() {
  local control
  control=$(value "$1" control)
  echo "${control:-honest}"
}

prepare() {  # prepare NAME FOLDER
  mkdir -p "in/$1" && cp "$here"/common/* "$2"/* "in/$1"
}
if [ "$device" = cuda ]; then
  "$here"/../../../kernels/submission/export.sh 17 base.cuh || exit 2
  mkdir -p in/honest && cp base.cuh in/honest/new-forward.cu
else
  prepare honest "$here/honest-slow"
fi
names=(honest)
for name in "${cheats[@]}"; do
  prepare "$name" "$here/$name"
  [ "$device" = cuda ] && cp base.cuh "in/$name"
  names+=("$name")
  control=$(control_of "$name")
  [ -d "in/$control" ] || { prepare "$control" "$here/$control"; names+=("$control"); }
done

config() {  # config BATCH FLAGS TIMING
  cat << END > gain.yaml
opgrade: 1
name: gain
title: Gain of cheats
interface: minidnn-3
pass_mark: 0
models:
  high: {network: fmnist-86, weights: fmnist-86-high}
timing: {$3}
limits:
  build: {wall: 300 s, cpu: 300 s}
  run: {wall: 40 s, cpu: 80 s}
stages:
  - {name: stage, title: Convolution, device: $device, flags: [$2], cases: [{model: high, batch: $1, points: 1}]}
END
}

# Lines "name outcome layer median" of a class that was graded.
medians() {  # medians FOLDER
  local name
  for name in "${names[@]}"; do
    awk -v name="$name" '
      function text(line) {sub(/^[^:]*: *"?/, "", line); sub(/"?,? *$/, "", line); return line}
      /"outcome":/ && !outcome {outcome = text($0)}
      /"layer":/ {layer = text($0)}
      /"op_time":/ {op = 1}
      op && /"median_ms":/ {times[layer] = text($0); op = 0}
      END {for (layer in times) print name, outcome, layer, times[layer]}' "$1/$name/report.json"
  done
}

failed=0
grade() {  # grade BATCH FLAGS TIMING [CALL_MS]: a call is known to last CALL_MS
  local round
  config "$1" "$2" "$3"
  rm -f "times"
  for round in $(seq "${ROUNDS:-3}"); do
    "$opgrade" grade "${names[@]/#/in/}" --config gain.yaml --out "out-$1-$round" --jobs "${JOBS:-1}" "${options[@]}" \
      > "log-$1-$round" 2>&1
    [ -f "out-$1-$round/grades.csv" ] || { tail -n 3 "log-$1-$round"; exit 2; }
    medians "out-$1-$round" >> "times"
  done
  for name in "${cheats[@]}"; do echo "$name $(control_of "$name")"; done > pairs
  awk -v batch="$1" -v call_ms="${4:-0}" '
    function median(key,   n, list, i, j, swap) {
      n = split(times[key], list, " ")
      for (i = 1; i < n; i++) for (j = i + 1; j <= n; j++)
        if (list[j] + 0 < list[i] + 0) {swap = list[i]; list[i] = list[j]; list[j] = swap}
      return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
    }
    FNR == NR {
      if (!index(outcomes[$1], $2)) outcomes[$1] = outcomes[$1] (outcomes[$1] ? "," : "") $2
      if ($4 > 0) times[$1 " " $3] = times[$1 " " $3] " " $4
      layers[$3]
      next
    }
    {
      for (i = 1; i <= 2; i++) {
        layer = "conv" i
        if (!(layer in layers)) continue
        if (!times[$1 " " layer]) {
          printf "%-6s %-20s %-6s %10s %10s %9s %7s  %s\n", batch, $1, layer, "-", "-", "-", "-", outcomes[$1]
          continue
        }
        honest = median($2 " " layer); cheat = median($1 " " layer)
        whole = call_ms ? call_ms : honest; gain = 1000 * (whole - cheat)
        bound = whole * 10 > 10 ? whole * 10 : 10
        good = gain <= bound || outcomes[$1] !~ /^passed/
        if (!good) bad = 1
        printf "%-6s %-20s %-6s %10.4f %10.4f %9.1f %6.1f%%  %s%s\n", batch, $1, layer, honest, cheat, gain,
          gain / whole / 10, outcomes[$1], good ? "" : "  GAINS"
      }
    }
    END {exit bad}' times pairs || failed=1
}

printf '%-6s %-20s %-6s %10s %10s %9s %7s\n' B cheat layer 'honest ms' 'cheat ms' 'gain us' gain
if [ "$device" = cuda ]; then
  for batch in ${BATCHES:-100 1000 10000}; do grade $batch -O3 'repetitions: 5'; done
else
  grade 1 '-O3, -march=native, -DCALL_US=2000' 'repetitions: 25' 2
  grade 8 '-O3, -march=native, -DCALL_US=20000' 'repetitions: 11' 20
fi
exit $failed
