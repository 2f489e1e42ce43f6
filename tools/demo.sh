#!/usr/bin/env bash
# Grades a good and a wrong submission on real data and says where the reports are.
#   tools/demo.sh BUILD_FOLDER
set -euo pipefail
build=$1
opgrade=$build/bin/opgrade
results=$build/demo
rm -rf "$results"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[[ -t 1 ]] || say() { printf '\n%s\n' "$*"; }

say "Grading two submissions: the reference solution, and one whose mask is flipped"
# Exit code 1 says that one is below the pass mark, which is the point of the demo.
"$opgrade" grade reference/solution/minidnn-3 tests/corpus/submissions/wrong_flipped_mask \
  --config configs/demo.yaml --out "$results" || [[ $? -eq 1 ]]

for name in minidnn-3 wrong_flipped_mask; do
  say "Report of $name"
  cat "$results/$name/report.txt"
done

say "Files"
find "$results" -type f | sort
