#!/usr/bin/env bash
# class_speed.sh FOLDER [STUDENTS] [OPTIONS of opgrade grade]: seconds a submission of a class, and how long the device was
# held, for which phase of which case. Times are printed, never judged. FOLDER is a build or install folder with bin/ and
# share/; needs nothing but it, these sources, bash and awk.
#   tests/bench/class_speed.sh build 100 -j 4
#   SUBMISSIONS=~/class CONFIG=2023fa tests/bench/class_speed.sh build - -j 4 --only m3
# The first grades the repository's own submissions: the reference solution and rungs of the ladder, each student's files a
# little different (goal: 1.0 s on an H200 with 16 cores). The second grades the folders of $SUBMISSIONS, the first STUDENTS
# of them or all.
# The calls alone are the limit of what a grading on one device can take.
# $RUNGS: of the ladder ("1 2 3 4 5 6 7 8 9"); $CONFIG: a file or the name of a config (tests/configs/class-gpu.yaml);
# $OPGRADE_DATA: data if not FOLDER/data.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/tests/bench}
folder=$(realpath "${1:?usage: class_speed.sh FOLDER [STUDENTS] [OPTIONS of opgrade grade]}")
students=${2:-100}
shift $(($# < 2 ? $# : 2))
config=${CONFIG:-$root/tests/configs/class-gpu.yaml}
[[ ! -f $config ]] || config=$(realpath "$config")
submissions=${SUBMISSIONS:+$(realpath "$SUBMISSIONS")}
rungs=${RUNGS-1 2 3 4 5 6 7 8 9}
[[ -n ${OPGRADE_DATA:-} ]] || export OPGRADE_DATA=$folder/data
work=$(mktemp -d "${TMPDIR:-/tmp}/opgrade-class-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

mkdir class
if [[ -n $submissions ]]; then
  kinds=(real)
  mapfile -t real < <(find "$submissions" -mindepth 1 -maxdepth 1 | sort)
  [[ $students == - ]] || real=("${real[@]:0:students}")
  students=${#real[@]}
  ((students > 0)) || { echo "no submissions in $submissions" >&2; exit 1; }
  cp -r "${real[@]}" class
else
  solution=$root/reference/solution/minidnn-3
  kinds=(reference)
  mkdir -p kind/reference
  cp "$solution"/* kind/reference
  for rung in $rungs; do
    mkdir "kind/rung$rung"
    cp "$solution/cpu-new-forward.cc" "kind/rung$rung"
    sh "$root/kernels/submission/export.sh" "$rung" "kind/rung$rung/new-forward.cu"
    kinds+=("rung$rung")
  done
  for ((i = 0; i < students; i++)); do
    student=$(printf 'class/s%04d' "$i")
    cp -r "kind/${kinds[i % ${#kinds[@]}]}" "$student"
    echo "// s$i" | tee -a "$student/new-forward.cu" >>"$student/cpu-new-forward.cc"
  done
fi

command=(opgrade grade 'class/*' --config "$(basename "$config")" "$@")
echo "${command[*]}: $students students (${kinds[*]}), $(nproc) cores, load $(cut -d ' ' -f 1-3 /proc/loadavg)"
status=0
TIMEFORMAT='%R %U %S'
{ time OPGRADE_PHASES=1 "$folder/bin/opgrade" grade class/* --config "$config" --out results "$@" >said.txt 2>phases.txt ||
  status=$?; } 2>time.txt
[[ -f results/grades.csv ]] || { grep -v '^phase' phases.txt; cat said.txt; echo "exit code $status"; exit 1; }
read -r wall user system <time.txt
find results -name report.json -exec cat {} + >reports.txt

gpus=$(nvidia-smi ${CUDA_VISIBLE_DEVICES:+-i "$CUDA_VISIBLE_DEVICES"} --query-gpu=name --format=csv,noheader 2>/dev/null | wc -l)
awk -v gpus="$((gpus > 0 ? gpus : 1))" -v wall="$wall" -v user="$user" -v system_="$system" -v cores="$(nproc)" -v students="$students" '
  function one(seconds) { return sprintf("%8.1f s %8.3f s", seconds, seconds / students) }
  FNR == NR {
    # Indented by 8: a build. By 12: a run. Both as report.json has them.
    if (/^        "elapsed_s"/) {gsub(/[^0-9.e-]/, "", $2); builds += $2}
    if (/^            "elapsed_s"/) {gsub(/[^0-9.e-]/, "", $2); runs += $2}
    if (/^ +"layer_ns"/) {gsub(/[^0-9]/, "", $2); called += $2 / 1e9; ++calls}
    next
  }
  # phase <at> s <lasted> #<thread> <what>
  /^phase +[0-9.]+ s +\+[0-9.]+ #[0-9]+ / {
    lasted = substr($0, index($0, "+") + 1) + 0
    match($0, /#[0-9]+ +/)
    thread = substr($0, RSTART + 1, RLENGTH - 1) + 0
    what = substr($0, RSTART + RLENGTH)
    if (what == "waiting for the device") {
      if (!(thread in in_turn)) waiting += lasted
      else held += lasted
      in_turn[thread] = 1
      next
    }
    if (what == "build") delete in_turn[thread]
    if (!(thread in in_turn)) {
      outside[what] += lasted
      next
    }
    sub(/^.*: all$/, "layer: rest", what)
    held += lasted
    if (sub(/: case over$/, "", what)) {
      of_case[what] += pending[thread] + lasted
      ++cases[what]
      pending[thread] = 0
      what = "case: rest"
    } else {
      pending[thread] += lasted
    }
    inside[what] += lasted
    if (what == "device given back") delete in_turn[thread]
  }
  END {
    printf "class: %.1f s, %.2f s a submission\n", wall, wall / students
    printf "processor: %.1f s user, %.1f s system: %.1f of %d cores\n", user, system_, (user + system_) / wall, cores
    printf "in the class and a submission:\n"
    printf "%s  builds (elapsed_s)\n%s  runs (elapsed_s)\n", one(builds), one(runs)
    printf "%s  waiting for the device, beside others\n", one(waiting)
    printf "%s  device held: %.0f %% of the class on %d of them\n", one(held), 100 * held / (gpus * wall), gpus
    printf "%s  calls alone (%d): what a bare loop of them takes\n", one(called), calls
    sort = "sort -k3,3nr"
    print "device held, by case:"
    for (what in of_case) printf "%s  %s (%d)\n", one(of_case[what]), what, cases[what] | sort
    close(sort)
    print "device held, by phase:"
    for (what in inside) printf "%s  %s\n", one(inside[what]), what | sort
    close(sort)
    print "device not held, by phase of any thread:"
    for (what in outside) printf "%s  %s\n", one(outside[what]), what | sort
    close(sort)
  }' reports.txt phases.txt
echo "outcomes: $(awk -F, 'NR > 1 {print $2}' results/grades.csv | sort | uniq -c | paste -sd, | tr -s ' ')"
[[ -z $submissions ]] || exit 0
# Op Time of students with the same files: the largest spread within a kind.
awk -F, -v kinds="${#kinds[@]}" '
  NR == 1 {for (i = 1; i <= NF; i++) if ($i ~ /op_time_ms/) name[NF - i] = $i; next}
  {for (back in name) if ($(NF - back) > 0) {
     key = name[back] "," (NR - 2) % kinds
     n[key]++; sum[key] += $(NF - back); square[key] += $(NF - back) ^ 2}}
  END {for (key in n) if (n[key] > 1) {
         mean = sum[key] / n[key]; spread = square[key] / n[key] - mean * mean
         cv = 100 * sqrt(spread > 0 ? spread : 0) / mean
         split(key, part, ",")
         if (cv > worst[part[1]]) worst[part[1]] = cv}
       for (c in worst) printf "%s: coefficient of variation within a kind of submission: up to %.2f %%\n", c, worst[c]}
  ' results/grades.csv | sort
exit 0
