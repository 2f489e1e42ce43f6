#!/usr/bin/env bash
# check_counts.sh <build folder> [<runs>]: what counting adds to `opgrade check`, without a GPU.
# The reference solution and the rungs 1 to 9 are checked with and without --no-counts in turns. Prints a Markdown table of
# medians (goal: 2.5 s more). Counts are of three images, whatever the batch of the checked case.
set -euo pipefail
build=$(realpath "${1:?usage: check_counts.sh <build folder> [<runs>]}")
runs=${2:-5}
root=$(realpath "$(dirname "$0")/../../..")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OPGRADE_DATA=${OPGRADE_DATA:-$build/data}

cp -r "$root/reference/solution/minidnn-3" "$folder/reference"
submissions=(reference)
for number in 1 2 3 4 5 6 7 8 9; do
  mkdir "$folder/rung-$number"
  "$root/kernels/submission/export.sh" "$number" "$folder/rung-$number/new-forward.cu"
  submissions+=("rung-$number")
done

# check <submission> <file> [<option>]: adds wall and CPU seconds to the file.
check() {
  local TIMEFORMAT='%R %U %S'
  { time "$build/bin/opgrade" check "$folder/$1" --only gpu --device emulated --quiet "${@:3}" > "$folder/report.txt" 2>&1; } \
    2> "$folder/time" || { cat "$folder/report.txt" >&2; exit 1; }
  awk '{ print $1, $2 + $3 }' "$folder/time" >> "$folder/$2"
}
# median <file> <column>
median() { sort -n -k "$2,$2" "$folder/$1" | awk -v c="$2" '{ t[NR] = $c } END { print (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) / 2 }'; }

echo "$(nproc) cores of: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), load $(cut -d ' ' -f 1-3 /proc/loadavg), $runs runs"
echo
echo "| submission | wall without counts | with | more | CPU without counts | with | more |"
echo "|--|--|--|--|--|--|--|"
for submission in "${submissions[@]}"; do
  for ((i = 0; i < runs; ++i)); do
    check "$submission" "$submission.without" --no-counts
    check "$submission" "$submission.with"
  done
  for column in 1 2; do median "$submission.without" $column; median "$submission.with" $column; done |
    awk -v name="$submission" '{ t[NR] = $1 } END {
      printf "| %s | %.2f s | %.2f s | %.2f s | %.2f s | %.2f s | %.2f s |\n", name, t[1], t[2], t[2] - t[1], t[3], t[4], t[4] - t[3] }'
done
