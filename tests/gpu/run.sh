#!/usr/bin/env bash
# What only a GPU can show, with nothing but bash, awk and opgrade's programs (a build or an install
# folder): cheats and controls, faults, exclusivity, stability. One line a case, a summary at the end;
# exit code 0 when no case failed. Times are printed, never judged.
#   tests/gpu/run.sh FOLDER [cheats|faults|exclusivity|stability]...
# OPGRADE_DATA names the folder with fmnist-86.h5; GRADINGS the number for stability (20).
set -u
here=$(cd "$(dirname "$0")" && pwd)
opgrade=$(cd "${1:?the build or install folder}" && pwd)/bin/opgrade
shift
parts=${*:-cheats faults exclusivity stability}
: "${OPGRADE_DATA:=$(dirname "$opgrade")/../data}"
export OPGRADE_DATA
work=$(mktemp -d "${TMPDIR:-/tmp}/opgrade-gpu-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
ok=0 failed=0

verdict() {  # verdict GOOD NAME TEXT
  if [ "$1" = yes ]; then ok=$((ok + 1)); printf 'ok      %-22s %s\n' "$2" "$3"
  else failed=$((failed + 1)); printf 'FAILED  %-22s %s\n' "$2" "$3"; fi
}

value() {  # value FILE KEY: of a plain expect.yaml
  sed -n "s/^$2: *\"\{0,1\}\([^\"]*\)\"\{0,1\}$/\1/p" "$1"
}

prepare() {  # prepare FOLDER: a submission with the files of common/ beside its own
  local name=${1%/}
  name=in/${name##*/}
  mkdir -p "$name" && cp "$here"/../cheats/common/* "$1"/* "$name"
}

# The lines "name,outcome,points,reason" of a class.
table() { awk -F, 'NR > 1 {print $1 "," $2 "," $4 "," $8}' "$1/grades.csv"; }

cheats() {
  local names=() name outcome points reason want speed good
  for folder in "$here"/../cheats/*/; do
    [ -f "$folder/new-forward.cu" ] || continue
    prepare "$folder"
    names+=("in/$(basename "$folder")")
  done
  "$opgrade" grade "${names[@]}" --config "$here/../configs/cheats-gpu.yaml" --out cheats --jobs 4 \
    --device cuda > cheats.log 2>&1
  [ -f cheats/grades.csv ] || { verdict no cheats "$(tail -n 3 cheats.log)"; return; }
  while IFS=, read -r name outcome points reason; do
    want=$(value "in/$name/expect.yaml" outcome)
    speed=$(value "in/$name/expect.yaml" speed_points)
    good=yes
    [[ $outcome =~ ^($want)$ ]] || good=no
    # 15 points are for being right, 5 for speed.
    [ "$speed" = 0 ] && awk "BEGIN {exit !($points > 15)}" && good=no
    verdict $good "$name" "$outcome, $points of 20 ($(value "in/$name/expect.yaml" verdict)): $reason"
    [ $good = yes ] || sed -n 1,40p "cheats/$name/report.txt"
  done < <(table cheats)
  sed 's/^tolerance:.*//' "$here/../configs/cheats-gpu.yaml" > wide.yaml
  echo 'tolerance: 1e-3' >> wide.yaml
  "$opgrade" grade in/honest-fp16 --config wide.yaml --out wide --device cuda > wide.log 2>&1
  IFS=, read -r name outcome points reason < <(table wide)
  [ "$outcome" = passed ] && good=yes || good=no
  verdict $good honest-fp16 "$outcome at tolerance 1e-3"
}

# Each fault, then an honest submission by the same grader: it must not notice.
faults() {
  local names=() name outcome points reason want good
  prepare "$here/../cheats/honest-fast-gpu"
  for folder in "$here"/faults/*/; do
    name=$(basename "$folder")
    prepare "$folder"
    cp -r in/honest-fast-gpu "in/after-$name"
    names+=("in/$name" "in/after-$name")
  done
  "$opgrade" grade "${names[@]}" --config "$here/../configs/cheats-gpu.yaml" --out faults --device cuda \
    > faults.log 2>&1
  [ -f faults/grades.csv ] || { verdict no faults "$(tail -n 3 faults.log)"; return; }
  while IFS=, read -r name outcome points reason; do
    case $name in after-*) want=passed ;; *) want=$(value "in/$name/expect.yaml" outcome) ;; esac
    [[ $outcome =~ ^($want)$ ]] && good=yes || good=no
    verdict $good "$name" "$outcome: $reason"
    [ $good = yes ] || sed -n 1,40p "faults/$name/report.txt"
  done < <(table faults)
}

# Two graders at once: the kernel's list of locks shows who holds the device's lock and who waits.
exclusivity() {
  local pids=() i good=yes two=0 order waits
  prepare "$here/../cheats/honest-slow-gpu"
  for i in 1 2; do
    "$opgrade" grade in/honest-slow-gpu --config "$here/../configs/cheats-gpu.yaml" --out "both-$i" --device cuda \
      > both-$i.log 2>&1 &
    pids+=($!)
  done
  : > locks
  while kill -0 "${pids[0]}" 2> /dev/null || kill -0 "${pids[1]}" 2> /dev/null; do
    inodes=$(stat -c %i /tmp/opgrade-timing*.lock 2> /dev/null | paste -sd'|')
    [ -n "$inodes" ] && grep -E "FLOCK .*WRITE.*:($inodes) " /proc/locks |
      awk '{print ($2 == "->" ? "waits " $6 : "holds " $5)}' | paste -sd' ' >> locks
    sleep 0.02
  done
  wait "${pids[@]}"
  # Never two holders at a time, and each of the two held it.
  two=$(grep -cE 'holds .*holds' locks)
  [ "$two" = 0 ] || good=no
  order=$(grep -o 'holds [0-9]*' locks | uniq | awk '{printf "%s ", $2}')
  for i in "${pids[@]}"; do [[ $order == *$i* ]] || good=no; done
  for i in 1 2; do [ "$(table both-$i | cut -d, -f2)" = passed ] || good=no; done
  verdict $good exclusivity "graders ${pids[*]}; the lock's holders in order: ${order:-none}; $two samples with two holders"
}

stability() {
  local n=${GRADINGS:-20} i good=yes
  solution=$(dirname "$opgrade")/../share/opgrade/reference_solution/minidnn-3
  for i in $(seq "$n"); do
    "$opgrade" grade "$solution" --config minidnn --only gpu/high/100 --only gpu/high/10000 --out stable --again \
      --device cuda > stable.log 2>&1
    [ "$(table stable | cut -d, -f2)" = passed ] || { good=no; tail -n 3 stable.log; }
    # From the end: texts before the cases may have commas in them.
    awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i ~ /op_time_ms/) {split($i, word, " "); back[word[1]] = NF - i}; next}
             {for (name in back) print name "," $(NF - back[name])}' stable/grades.csv >> times
  done
  awk -F, '{n[$1]++; sum[$1] += $2; square[$1] += $2 * $2}
    END {for (c in n) {mean = sum[c] / n[c]; spread = square[c] / n[c] - mean * mean
      printf "        %s: Op Time %.4f ms, coefficient of variation %.3f %% of %d gradings\n",
        c, mean, 100 * sqrt(spread > 0 ? spread : 0) / mean, n[c]}}' times | sort
  verdict $good stability "$n gradings"
}

for part in $parts; do "$part"; done
echo "$ok ok, $failed failed"
[ "$failed" = 0 ]
