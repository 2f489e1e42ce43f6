#!/usr/bin/env bash
# races_left_out.sh <opgrade> <task>: where the run that looks for data races ends before it has looked, the report says so.
set -euo pipefail
opgrade=${1:?usage: races_left_out.sh <opgrade> <task>}
task=${2:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$task/solution" "$work/mine"
for source in "$work"/mine/*.c*; do
  printf '#include <cstdlib>\n#ifdef __SANITIZE_THREAD__\nstatic int early = (std::abort(), 0);\n#endif\n' >>"$source"
done
"$opgrade" grade "$work/mine" --config "$task" --unchecked --out "$work/out" --quiet
tr -s ' \n' ' ' <"$work/out/mine/report.txt" >"$work/report"
grep -q 'cpu/random: not checked for data races: the run that looks for them ended early' "$work/report" || {
  cat "$work/out/mine/report.txt"
  exit 1
}
