#!/usr/bin/env bash
# What only a GPU can show, with nothing but bash, awk and opgrade's programs (a build or an install
# folder). One line a case, a summary at the end; exit code 0 when no case failed. Times are printed,
# never judged.
#   tests/gpu/run.sh FOLDER [PART]...
# cheats        tests/corpus/cheats gets its verdicts; honest-fp16 passes at tolerance 1e-3
# terms         the reference solution, the same rounded to half, and one right on its own layers only
# faults        five faults of a kernel; the next submission passes
# memory        leaks of device memory pass, with a note; an output that is not cleared fails in a random shape
# userns        the tier without user namespaces
# retired       a toolkit that builds for another GPU is a grader fault
# exclusivity   two graders, one device: never two holders of its lock
# side_by_side  one grader, two devices: both locks held at the same time
# labs          Op Time beside the device's events, for functions on device and on host pointers; cheats in each form; the
#               time of checking 100 MB
# findings      with `findings: decide` a race costs the points on a GPU as on the emulated device; it is a note with
#               `accept_emulated: false`; a feature that is not emulated is told; `task check` has the same answers
# counts        the counts of the emulated device beside Nsight Compute's: tests/gpu/counts.sh
# stability     GRADINGS gradings
# OPGRADE_DATA names the folder with fmnist-86.h5; GRADINGS the number for stability (20).
set -u
here=$(cd "$(dirname "$0")" && pwd)
opgrade=$(cd "${1:?the build or install folder}" && pwd)/bin/opgrade
shift
parts=${*:-cheats terms faults memory userns retired exclusivity side_by_side labs findings counts stability}
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
  mkdir -p "$name" && cp "$here"/../corpus/cheats/common/* "$1"/* "$name"
}

# The lines "name,outcome,points,reason" of a class.
table() { awk -F, 'NR > 1 {print $1 "," $2 "," $4 "," $8}' "$1/grades.csv"; }

cheats() {
  local names=() name outcome points reason want speed good
  for folder in "$here"/../corpus/cheats/*/; do
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
    [ "${speed:-0}" != 0 ] && awk "BEGIN {exit !($points < 15 + $speed)}" && good=no
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

# What satisfied a term gets the term's points: the plain solution, one in half precision, and one that
# computes nothing but the term's own layers, of which the report says that nobody asked for others.
terms() {
  local term interface stage solutions name outcome points reason good told shapes
  solutions=$(dirname "$opgrade")/../share/opgrade/reference_solution
  while read -r term interface stage shapes; do
    mkdir -p "in-$term"
    for name in plain half own; do cp -r "$solutions/$interface" "in-$term/$name"; done
    for file in new-forward.cu new-forward.cuh; do
      [ -f "in-$term/half/$file" ] || continue
      sed -i -E 's/sum \+= x\[(.*)\] \* k\[(.*)\];/sum += __half2float(__float2half(x[\1])) * __half2float(__float2half(k[\2]));/
        1i #include <cuda_fp16.h>' "in-$term/half/$file"
      grep -q 'float2half(x' "in-$term/half/$file" || verdict no "$term-half" "the source has no sum to round"
      sed -i -E "s/^( *)float sum = 0;/\\1if (!($shapes)) return;\n&/" "in-$term/own/$file"
      grep -q 'K == ' "in-$term/own/$file" || verdict no "$term-own" "the source has no sum to leave out"
    done
    "$opgrade" grade "in-$term"/{plain,half,own} --config "$term" --only "$stage" --out "terms-$term" --jobs 1 \
      --device cuda > terms.log 2>&1
    [ -f "terms-$term/grades.csv" ] || { verdict no "$term" "$(tail -n 3 terms.log)"; continue; }
    while IFS=, read -r name outcome points reason; do
      good=yes
      [ "$outcome" = passed ] || good=no
      grep -q "The course did not ask for these shapes" "terms-$term/$name/report.txt" && told=yes || told=no
      [ "$name" = own ] || [ $told = no ] || good=no
      [ "$name" != own ] || [ $told = yes ] || good=no
      verdict $good "$term-$name" "$outcome, $points points: $reason"
      [ $good = yes ] || sed -n 1,40p "terms-$term/$name/report.txt"
    done < <(table "terms-$term")
  done <<'END'
2019sp mxnet m4 K == 5 \&\& (M == 6 || M == 16)
2020fa minidnn-1 m4 K == 7 \&\& (M == 4 || M == 16)
2022fa minidnn-3 m3 K == 7 \&\& (M == 4 || M == 16)
2023fa minidnn-3s m3 (K == 7 \&\& (M == 4 || M == 16)) || (K == 3 \&\& M == 3)
END
}

# Each fault, then an honest submission by the same grader: it must not notice.
faults() {
  local names=() name outcome points reason want good
  prepare "$here/../corpus/cheats/honest-fast-gpu"
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

# Device memory that calls leave behind, and an output that the submission does not clear.
memory() {
  local name folder outcome points reason want says good
  for folder in "$here"/memory/*/; do
    name=$(basename "$folder")
    prepare "$folder"
    "$opgrade" grade "in/$name" --config "$here/../configs/cheats-gpu.yaml" --out memory --again \
      --only "$(value "$folder/expect.yaml" only)" --device cuda > memory.log 2>&1
    [ -f "memory/$name/report.json" ] || { verdict no "$name" "$(tail -n 3 memory.log)"; continue; }
    IFS=, read -r _ outcome points reason < <(table memory | grep "^$name,")
    want=$(value "$folder/expect.yaml" outcome)
    says=$(value "$folder/expect.yaml" says)
    good=yes
    [[ $outcome =~ ^($want)$ ]] || good=no
    grep -q "$says" "memory/$name/report.json" || good=no
    verdict $good "$name" "$outcome: $reason"
    [ $good = yes ] || sed -n 1,40p "memory/$name/report.txt"
  done
}

# The sandbox tier of a container with default settings: the doctor says that the device works there,
# and a right and a wrong submission get their verdicts.
userns() {
  local name outcome points reason want good=yes line
  line=$(OPGRADE_SANDBOX_WITHOUT=userns "$opgrade" doctor | grep 'GPU in the sandbox')
  [[ $line == ok* ]] || good=no
  verdict $good userns-doctor "$line"
  prepare "$here/../corpus/cheats/honest-fast-gpu"
  prepare "$here/../corpus/cheats/wrong-gpu"
  OPGRADE_SANDBOX_WITHOUT=userns "$opgrade" grade in/honest-fast-gpu in/wrong-gpu \
    --config "$here/../configs/cheats-gpu.yaml" --out userns --device cuda > userns.log 2>&1
  [ -f userns/grades.csv ] || { verdict no userns "$(tail -n 3 userns.log)"; return; }
  for name in honest-fast-gpu wrong-gpu; do
    want=$(value "in/$name/expect.yaml" outcome)
    IFS=, read -r _ outcome points reason < <(table userns | grep "^$name,")
    [[ $outcome =~ ^($want)$ ]] && good=yes || good=no
    grep -q '"sandbox": *"no user namespaces"' "userns/$name/report.json" || good=no
    verdict $good "userns-$name" "$outcome: $reason"
    [ $good = yes ] || sed -n 1,40p "userns/$name/report.txt"
  done
}

# Built for a GPU that this is not, nobody's code runs: the first case finds out and retires the device,
# and what comes after it is not tried.
retired() {
  local good=yes i outcomes first=${CUDA_VISIBLE_DEVICES:-0}
  prepare "$here/../corpus/cheats/honest-fast-gpu"
  for i in 1 2; do cp -r in/honest-fast-gpu "in/other-$i"; done
  # No device before Blackwell runs it.
  CUDA_VISIBLE_DEVICES=${first%%,*} OPGRADE_CUDA_ARCH=sm_100 "$opgrade" grade in/other-1 in/other-2 \
    --config "$here/../configs/cheats-gpu.yaml" --out retired --jobs 1 --device cuda > retired.log 2>&1
  outcomes=$(table retired | cut -d, -f2 | sort | uniq -c | paste -sd' ')
  grep -q '2 grader_fault' <<< "$outcomes" || good=no
  # Asked for the first submission alone.
  grep -q '"reason": *"the reference solution fails' retired/other-1/report.json || good=no
  grep -q '"reason": *"the reference solution fails' retired/other-2/report.json && good=no
  grep -q 'set OPGRADE_CUDA_ARCH' retired/other-2/report.json || good=no
  grep -q 'not used any more; devices left: 0' retired/other-1/report.json || good=no
  verdict $good retired "$outcomes: $(table retired | head -n 1 | cut -d, -f4)"
  [ $good = yes ] || sed -n 1,40p retired/other-*/report.txt
}

# A right softmax, the same with a race that changes no output, and with a header that the emulated device lacks.
findings() {
  local lab=$here/../../labs/softmax name outcome points reason want good
  mkdir -p beside
  for name in right racy lacking; do cp -r "$lab/solution" "beside/$name"; done
  sed -i 's/^  float own = -INFINITY;/  __shared__ int scratch;\n  scratch = threadIdx.x;\n  if (columns < 0) y[0] = scratch;\n&/' \
    beside/racy/softmax.cu
  grep -q scratch beside/racy/softmax.cu || verdict no findings "the source has no line to put a race before"
  sed -i '1i #include <curand_kernel.h>' beside/lacking/softmax.cu
  cp -r "$lab" beside-noted && echo 'accept_emulated: false' >> beside-noted/task.yaml
  cp -r "$lab" beside-warned && sed -i 's/^findings: decide/findings: warn/' beside-warned/task.yaml
  beside decide "$lab" passed mistake_found
  beside noted beside-noted passed passed
  beside warned beside-warned passed passed
  grep -q 'findings were not looked for' beside-decide/lacking/report.json && good=yes || good=no
  verdict $good "findings, not emulated" "$(grep -o 'findings were not looked for[^"]*' beside-decide/lacking/report.json | head -n 1)"
  grep -q '"kind": *"data_race"' beside-noted/racy/report.json && good=yes || good=no
  verdict $good "findings, as notes" "a race is named"
  grep -q '"kind": *"data_race"' beside-warned/racy/report.json && good=no || good=yes
  verdict $good "findings, warn" "nothing is looked for"
  "$opgrade" task check "$lab" --device cuda --mutants 0 > beside.check 2>&1 && good=yes || good=no
  verdict $good "findings, task check" "$(tail -n 1 beside.check)"
}

# beside NAME CONFIG RIGHT RACY: the outcomes that the config must give
beside() {
  local name outcome points reason want good
  "$opgrade" grade beside/right beside/racy beside/lacking --config "$2" --unchecked --only gpu --out "beside-$1" \
    --device cuda > beside.log 2>&1
  [ -f "beside-$1/grades.csv" ] || { verdict no "findings, $1" "$(tail -n 3 beside.log)"; return; }
  while IFS=, read -r name outcome points reason; do
    want=$3
    [ "$name" != racy ] || want=$4
    [ "$outcome" = "$want" ] && good=yes || good=no
    verdict $good "findings, $1, $name" "$outcome: $reason"
    [ $good = yes ] || sed -n 1,40p "beside-$1/$name/report.txt"
  done < <(table "beside-$1")
}

# While any of the processes PID lives: the kernel's list of device locks, a line a sample with
# "holder:file" of each that is held. (Not the machine's lock, which runs on the CPU hold.)
watch_locks() {  # watch_locks FILE PID...
  local file=$1 inodes
  shift
  : > "$file"
  while kill -0 "$@" 2> /dev/null; do
    inodes=$(stat -c %i {/run/lock,/var/lock,/tmp}/opgrade-timing-GPU-*.lock 2> /dev/null | paste -sd'|')
    [ -n "$inodes" ] && grep -E "FLOCK .*WRITE.*:($inodes) " /proc/locks | grep -v -e '->' |
      awk '{split($6, place, ":"); print $5 ":" place[3]}' | sort | paste -sd' ' >> "$file"
    sleep 0.02
  done
}

# Two graders at once, both on the first device.
exclusivity() {
  local pids=() i good=yes two=0 order first=${CUDA_VISIBLE_DEVICES:-0}
  prepare "$here/../corpus/cheats/honest-slow-gpu"
  for i in 1 2; do
    CUDA_VISIBLE_DEVICES=${first%%,*} "$opgrade" grade in/honest-slow-gpu \
      --config "$here/../configs/cheats-gpu.yaml" --out "both-$i" --device cuda > both-$i.log 2>&1 &
    pids+=($!)
  done
  watch_locks locks "${pids[@]}"
  wait "${pids[@]}"
  # Never two holders at a time, and each of the two held it.
  two=$(awk '{split($1, first, ":"); for (i = 2; i <= NF; i++) {split($i, word, ":")
    if (word[1] != first[1]) {n++; break}}} END {print n + 0}' locks)
  [ "$two" = 0 ] || good=no
  order=$(grep -oE '[0-9]+:' locks | tr -d : | uniq | paste -sd' ')
  for i in "${pids[@]}"; do [[ " $order " == *" $i "* ]] || good=no; done
  for i in 1 2; do [ "$(table both-$i | cut -d, -f2)" = passed ] || good=no; done
  verdict $good exclusivity "graders ${pids[*]}; the lock's holders in order: ${order:-none}; $two samples with two holders"
  [ $good = yes ] || for i in 1 2; do table both-$i; tail -n 3 both-$i.log; done
}

# One grader on all devices: four submissions, at least two of them at the same time.
side_by_side() {
  local i good=yes devices most uuids right
  devices=$("$opgrade" doctor | grep -E '^ok +GPU ' | grep -vc 'GPU in the sandbox')
  if [ "$devices" -lt 2 ]; then
    printf 'skipped %-22s %s\n' side_by_side "needs two GPUs of one model, and there are $devices"
    return
  fi
  prepare "$here/../corpus/cheats/honest-slow-gpu"
  for i in 1 2 3 4; do cp -r in/honest-slow-gpu "in/side-$i"; done
  "$opgrade" grade in/side-* --config "$here/../configs/cheats-gpu.yaml" --out side --jobs 4 \
    --device cuda > side.log 2>&1 &
  watch_locks side-locks $!
  wait $!
  most=$(awk 'NF > most {most = NF} END {print most + 0}' side-locks)
  [ "$most" -ge 2 ] || good=no
  right=$(table side | grep -c ',passed,')
  [ "$right" = 4 ] || { good=no; tail -n 5 side.log; }
  # Each submission's cases on one device, the class on two or more.
  for i in 1 2 3 4; do
    uuids=$(grep -oE '"uuid": *"[^"]*"' "side/side-$i/report.json" | sort -u | wc -l)
    [ "$uuids" = 1 ] || good=no
  done
  uuids=$(grep -ohE 'GPU-[0-9a-f-]{36}' side/side-*/report.json | sort -u | paste -sd' ')
  [ "$(wc -w <<< "$uuids")" -ge 2 ] || good=no
  verdict $good side_by_side "$right of 4 right on $uuids; up to $most devices held at once"
}

# A sum by one block is slow enough for 0.1, 1 and 10 ms. Both times differ by at most 1 % or 5 us. The kernel's events stand
# around each call; a call prints those of the call before while its own kernel runs, which adds nothing to Op Time.
labs() {
  local case op events good
  cp -r "$here/../../labs/ece408/reduction" sums
  cat > sums/solution/reduction.cu <<'CUDA'
#include <stdio.h>

#include "reduction.h"

__global__ void add(const float* x, float* sum, int n) {
  __shared__ double part[512];
  double own = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) own += x[i];
  part[threadIdx.x] = own;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = static_cast<float>(part[0]);
}

void reduce(const float* x, float* sum, int n) {
  static cudaEvent_t begin[2], end[2];
  static int call;
  if (call == 0)
    for (int i = 0; i < 2; ++i) cudaEventCreate(&begin[i]), cudaEventCreate(&end[i]);
  cudaEventRecord(begin[call % 2]);
  add<<<1, 512>>>(x, sum, n);
  cudaEventRecord(end[call % 2]);
  // The first call starts cold.
  if (++call < 3) return;
  float ms;
  cudaEventElapsedTime(&ms, begin[call % 2], end[call % 2]);
  printf("%.4f;", ms);
}
CUDA
  sed -i 's/^ *- {name: large.*/      - {name: short, sizes: {n: 400000, kind: 1}, points: 10}\n      - {name: middle, sizes: {n: 5000000, kind: 1}, points: 5}\n      - {name: long, sizes: {n: 50000000, kind: 1}, points: 5}/
          s/wall: 10 s/wall: 1 min/; s/^limits:/timing: {repetitions: 15}\n&/' sums/task.yaml
  "$opgrade" grade sums/solution --config sums --unchecked --only gpu --out sums-out --device cuda > sums.log 2>&1
  [ -f sums-out/solution/report.json ] || { verdict no labs "$(tail -n 3 sums.log)"; return; }
  for case in short middle long; do
    of_case sums-out "$case" > "sums.$case"
    events=$(printed_times "sums.$case" | median 1)
    agree "labs $case" "$(op_time "sums.$case")" "${events:-0}"
  done
  grep -q '"median_ms"' sums-out/solution/report.json || verdict no labs "no times: $(sed -n 1,30p sums-out/solution/report.txt)"
  "$opgrade" grade "$here/../../labs/ece408/reduction/submissions/wrong_output/answer_of_the_first_call" --config sums \
    --unchecked --only gpu --out kept --device cuda > kept.log 2>&1
  good=yes
  [ "$(table kept | cut -d, -f2)" = wrong_output ] || good=no
  verdict $good "labs, kept answer" "$(table kept)"
  labs_on_host
  labs_checks
  "$here/../labs/cheats.sh" "$opgrade" cuda > cheats.table 2>&1 && good=yes || good=no
  cat cheats.table
  verdict $good "labs, cheats" "$(grep -c EXPECTED cheats.table) of $(($(wc -l < cheats.table) - 1)) not as expected"
  "$here/../labs/caller_attacks.sh" "$opgrade" cuda > callers.table 2>&1 && good=yes || good=no
  cat callers.table
  verdict $good "labs, attacks on a caller" "$(grep -c EXPECTED callers.table) of $(grep -cE ' (host|gpu) ' callers.table) not as expected"
}

# median COLUMN: of the lines on stdin
median() {
  awk -v column="$1" '{print $column}' | sort -g | awk '{all[NR] = $1} END {print all[int((NR + 1) / 2)]}'
}

# of_case RESULTS CASE: the lines of report.json from that case on
of_case() {
  awk -v id="\"gpu/$2\"" '/"id": / {mine = index($0, id)} mine' "$1/solution/report.json"
}

# printed_times FILE: what each call of the case printed, one call a line
printed_times() {
  grep '"student_output"' "$1" | grep -oE '[0-9.]+( [0-9.]+)*;' | tr -d ';'
}

# op_time FILE: the median of the case in ms, or 0
op_time() {
  awk -F'[:,]' '/"op_time"/ {op = 1} op && /"median_ms"/ {ms = $2 + 0; exit} END {print ms + 0}' "$1"
}

# agree NAME OP EVENTS: milliseconds
agree() {
  verdict "$(awk -v op="$2" -v events="$3" 'BEGIN {gap = op > events ? op - events : events - op
    most = events / 100 > 0.005 ? events / 100 : 0.005; print (events > 0 && gap <= most ? "yes" : "no")}')" \
    "$1" "Op Time $2 ms, device events $3 ms"
}

# host_times RESULTS CASE: milliseconds by which its Op Time is above its own clock, then Op Time, events, own clock
host_times() {
  [ -f "$1/solution/report.json" ] || return 1
  of_case "$1" "$2" > "$1.$2"
  # Without the first call.
  printed_times "$1.$2" | tail -n +2 > "$1.$2.calls"
  awk -v op="$(op_time "$1.$2")" -v events="$(median 1 < "$1.$2.calls")" -v own="$(median 2 < "$1.$2.calls")" \
    'BEGIN {if (own + 0 == 0) exit 1; print op - own, op, events, own}'
}

host_times_text() { awk '{printf "Op Time %s ms, device events %s ms, its own clock %s ms", $2, $3, $4}'; }

# A function on host pointers: its own events around its copies and its kernel, and its own clock around them and the
# events, both of which it prints in its last call. Events see less than the function does: its first copy's launch. To wake
# a process takes some 10 us more or less by chance, seldom 0.1 ms more. In one grading all calls are up to 27 us longer or
# 28 us shorter (24 gradings on an H200, 2026-12-01), so a short call is judged by the median of five gradings. Without empty calls
# in between a short call has 36 us more.
labs_on_host() {
  local case i
  cp -r sums hosts
  sed -i 's/^  function:.*/&\n  pointers: host/; s/n: 400000,/n: 150000,/; s/n: 5000000,/n: 2000000,/; s/n: 50000000,/n: 20000000,/' \
    hosts/task.yaml
  sed -i '/^void reduce(/,$d' hosts/solution/reduction.cu
  cat >> hosts/solution/reduction.cu <<'CUDA'
#include <time.h>

static double now_ms() {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * now.tv_sec + 1e-6 * now.tv_nsec;
}

void reduce(const float* x, float* sum, int n) {
  static float *device_x, *device_sum;
  static cudaEvent_t begin[16], end[16];
  static double own[16];
  static int room, call;
  if (room == 0) {
    for (int i = 0; i < 16; ++i) cudaEventCreate(&begin[i]), cudaEventCreate(&end[i]);
    cudaMalloc(&device_sum, sizeof(float));
  }
  if (room < n) {
    cudaFree(device_x);
    cudaMalloc(&device_x, n * sizeof(float));
    room = n;
    call = 0;
  }
  const double entered = now_ms();
  cudaEventRecord(begin[call]);
  cudaMemcpy(device_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
  add<<<1, 512>>>(device_x, device_sum, n);
  cudaMemcpy(sum, device_sum, sizeof(float), cudaMemcpyDeviceToHost);
  cudaEventRecord(end[call]);
  own[call] = now_ms() - entered;
  // In the last call: a median does not notice it.
  if (++call < 16) return;
  call = 0;
  for (int i = 0; i < 16; ++i) {
    float ms;
    cudaEventSynchronize(end[i]);
    cudaEventElapsedTime(&ms, begin[i], end[i]);
    printf("%.4f %.4f;", ms, own[i]);
  }
}
CUDA
  for i in 1 2 3 4 5; do
    "$opgrade" grade hosts/solution --config hosts --unchecked --only gpu/short --out "hosts-$i" --device cuda > hosts.log 2>&1
    host_times "hosts-$i" short >> short.times || { verdict no "labs, host form short" "$(tail -n 3 hosts.log)"; return; }
  done
  sort -g short.times | sed -n 3p > median.times
  verdict "$(awk '{one = $4 / 100 + 0.018; print ($1 >= -one && $1 <= one ? "yes" : "no")}' median.times)" "labs, host form short" \
    "$(host_times_text < median.times); all five above their own clocks by $(awk '{printf " %.1f", 1000 * $1}' short.times) us"
  "$opgrade" grade hosts/solution --config hosts --unchecked --only gpu/middle --only gpu/long \
    --out hosts-out --device cuda > hosts.log 2>&1
  for case in middle long; do
    host_times hosts-out "$case" > "times.$case" || { verdict no "labs, host form $case" "$(tail -n 3 hosts.log)"; continue; }
    verdict "$(awk '{one = $4 / 100; print ($1 >= -one - 0.018 && $1 <= one + 0.1 ? "yes" : "no")}' "times.$case")" \
      "labs, host form $case" "$(host_times_text < "times.$case")"
  done
}

# Seconds that the grader works for each call with an output of 100 MB, for the first submission of a class, which makes
# inputs and reference, for the second, which finds memory for them, and for all others: the goal is 0.2 s.
labs_checks() {
  cp -r "$here/../../labs/transpose" large
  # Other files: a copy would have the first one's grade.
  for student in second third; do
    cp -r large/solution $student
    for file in "$student"/*.cu; do echo "// $student" >> "$file"; done
  done
  sed -i 's/rows: 601, columns: 467/rows: 7072, columns: 7072/; s/^stages:/timing: {repetitions: 15}\n&/' large/task.yaml
  XDG_CACHE_HOME=$work/cache OPGRADE_PHASES=1 "$opgrade" grade large/solution second third --config large --unchecked \
    --only gpu/large --jobs 1 --out large-out --device cuda > large.log 2>&1
  awk '/calls, each checked/ {split($0, part, "+"); printf "        100 MB of output: %.3f s a call of submission %d\n",
      part[2] / 15, ++n}' large.log
  [ "$(table large-out | cut -d, -f2 | sort -u)" = passed ] && good=yes || good=no
  verdict $good "labs, 100 MB" "$(table large-out | tr '\n' ' ')"
}

counts() {
  local build good=yes
  build=$(dirname "$(dirname "$opgrade")")
  if [ ! -x "$build/tests/emulation_host" ] || ! ls /opt/nvidia/nsight-compute/*/ncu /usr/local/cuda*/bin/ncu > /dev/null 2>&1; then
    printf 'skipped %-22s %s\n' counts "needs a build folder and Nsight Compute"
    return
  fi
  "$here/counts.sh" emulated counts "$build" && "$here/counts.sh" gpu counts > counts.table || good=no
  cat counts.table
  verdict $good counts "$(tail -n 1 counts.table)"
}

stability() {
  local n=${GRADINGS:-20} i good=yes
  solution=$(dirname "$opgrade")/../share/opgrade/reference_solution/minidnn-3
  # Of one call, as a case has whose time no rule uses, an outlier would be the Op Time.
  printf 'extends: minidnn\nopgrade: 1\nname: stable\ntiming: {repetitions: 15}\n' > stable.yaml
  for i in $(seq "$n"); do
    "$opgrade" grade "$solution" --config stable.yaml --only gpu/high/100 --only gpu/high/10000 --out stable --again \
      --device cuda > stable.log 2>&1
    [ "$(table stable | cut -d, -f2)" = passed ] || { good=no; tail -n 3 stable.log; }
    # From the end: texts before the cases may have commas in them.
    awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i ~ /op_time_ms/) {split($i, word, " "); back[word[1]] = NF - i}; next}
             {for (name in back) print name "," $(NF - back[name])}' stable/grades.csv >> times
  done
  awk -F, '{n[$1]++; sum[$1] += $2; square[$1] += $2 * $2}
    END {for (c in n) {mean = sum[c] / n[c]; spread = square[c] / n[c] - mean * mean
      printf "        %s: Op Time %.4f ms, coefficient of variation %.3f %% of %d gradings\n",
        c, mean, variation = 100 * sqrt(spread > 0 ? spread : 0) / mean, n[c]
      goal = c ~ /\/10000$/ ? 1 : c ~ /\/100$/ ? 3 : 0
      if (goal) printf "        %s: goal %d %%: %s\n", c, goal, variation <= goal ? "reached" : "NOT reached"}}' times | sort
  verdict $good stability "$n gradings"
}

for part in $parts; do "$part"; done
echo "$ok ok, $failed failed"
[ "$failed" = 0 ]
