#!/usr/bin/env bash
# course_speed.sh <build folder> <project root> [students] [config] [options of course grade...]: grades a class of the
# repository's own right submissions and prints figures for docs/performance.md; no test looks at them. The goals: time of the
# class against builds and runs over the cores at most 1.3; memory the same for any number of students; the time left
# that is told after a tenth within 20 %.
set -euo pipefail
build=$(realpath "${1:?usage: course_speed.sh <build folder> <project root> [students] [config] [options]}")
root=$(realpath "${2:?usage: course_speed.sh <build folder> <project root> [students] [config] [options]}")
students=${3:-40} config=${4:-self-check}
shift $(($# < 4 ? $# : 4))
. "$root/tests/support/make_class.sh"
place=$(mktemp -d)
chmod 755 "$place"
trap 'rm -rf "$place"' EXIT
cd "$place"
export PATH=$build/bin:$PATH OPGRADE_DATA=$build/data
class_of=reference/solution/minidnn-3
make_class "$root" course "$students" "$config" >said.txt || { cat said.txt; exit 1; }

echo "load before: $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) cores, $students students, $config"
mkfifo lines
: >said.txt
OPGRADE_PHASES=1 opgrade course grade course m1 "$@" >>said.txt 2>lines & grader=$!
peak=0 begin=$EPOCHREALTIME tenth='' told=''
while IFS= read -r line; do
  echo "$line" >>said.txt
  [[ -r /proc/$grader/status ]] && now=$(awk '/^VmHWM/ {print $2}' "/proc/$grader/status") && peak=${now:-$peak}
  [[ $line =~ \[([0-9]+)/ ]] || continue
  if [[ -z $tenth ]] && ((BASH_REMATCH[1] * 10 >= students)); then tenth=$EPOCHREALTIME told=$line; fi
done <lines
end=$EPOCHREALTIME
wait "$grader" || { cat said.txt; exit 1; }
# Of the emulated device: a second build of each submission, which no report has.
checked=$(awk '/^phase .* build with checks$/ {sum += substr($0, index($0, "+") + 1)} END {print sum + 0}' said.txt)
find course/results -name report.json -exec cat {} + >reports.txt
awk -v wall="$(awk "BEGIN {print $end - $begin}")" -v rest="$(awk "BEGIN {print $end - $tenth}")" -v cores="$(nproc)" \
  -v checked="$checked" -v told="$told" -v peak="$peak" -v students="$students" '
  # Indented by 8: a build. By 12: a run. Both as report.json has them.
  /^        "elapsed_s"/ {gsub(/[^0-9.e-]/, "", $2); builds += $2}
  /^            "elapsed_s"/ {gsub(/[^0-9.e-]/, "", $2); runs += $2}
  END {
    printf "class: %.1f s, %.2f s a submission\n", wall, wall / students
    printf "builds %.1f s, builds with checks %.1f s, runs %.1f s: %.2f times their sum over the cores\n", builds, checked,
      runs, wall * cores / (builds + checked + runs)
    left = 0
    sub(/.*about /, "", told); sub(/ left.*/, "", told)
    n = split(told, word, " ")
    for (i = 1; i < n; i += 2)
      left += word[i] * (word[i + 1] ~ /^d/ ? 86400 : word[i + 1] ~ /^h/ ? 3600 : word[i + 1] ~ /^m/ ? 60 : 1)
    printf "told after a tenth: %s left; it took %.0f s: %+.0f %%\n", told, rest, 100 * (left / rest - 1)
    printf "peak memory of the grader: %.1f MiB\n", peak / 1024
  }' reports.txt
