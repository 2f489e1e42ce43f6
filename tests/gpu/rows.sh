# shellcheck shell=bash
# Sourced by tests on a GPU that need nothing but bash, awk and opgrade's programs: FOLDER [PART]..., the build or install folder
# and functions of the test. One line a case with what is expected and seen. DEVICE=emulated runs them without a GPU.
set -u
opgrade=$(cd "${1:?the build or install folder}" && pwd)/bin/opgrade
shift
device=${DEVICE:-cuda}
# shellcheck disable=SC2034
labs=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../labs" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/opgrade-rows-XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work" || exit 1
ok=0 failed=0

# row NAME EXPECTED SEEN: EXPECTED is a pattern of bash.
row() {
  # shellcheck disable=SC2053
  if [[ $3 == $2 ]]; then ok=$((ok + 1)); printf 'ok      %-34s %s\n' "$1" "$3"
  else failed=$((failed + 1)); printf 'FAILED  %-34s expected %s, seen %s\n' "$1" "$2" "$3"; fi
}

# [out=FOLDER] graded SUBMISSION CONFIG [ONLY]...: "outcome points/maximum open"; the report is in the folder, out if left out.
graded() {
  local submission=$1 config=$2 only=() to=${out:-out} one
  shift 2
  for one in "$@"; do only+=(--only "$one"); done
  rm -rf "$to"
  "$opgrade" grade "$submission" --config "$config" --unchecked "${only[@]}" --out "$to" --device "$device" --jobs 1 \
    > "$to.log" 2>&1
  [[ -f $to/grades.csv ]] || { tail -n 3 "$to.log" | tr '\n' ' '; return; }
  awk -F, 'NR == 2 {printf "%s %g/%g open %g", $2, $4, $5, $6}' "$to/grades.csv"
}

# says TEXT: the first match in the report in out/, however its lines are broken, or nothing. has TEXT: yes or no.
says() { cat out/*/report.txt out/*/report.json | tr -s ' \n' ' ' | grep -oE -m 1 -- "$1" | head -n 1; }
has() { [[ -n $(says "$1") ]] && echo yes || echo no; }

# run_parts "ALL PARTS" [PART]...
run_parts() {
  local parts=$1 part
  shift
  # shellcheck disable=SC2086
  (($# > 0)) || set -- $parts
  for part in "$@"; do
    [[ " $parts " == *" $part "* ]] || { echo "there is no part '$part': $parts" >&2; exit 2; }
    "$part"
  done
  echo "$ok ok, $failed failed"
  [[ $failed == 0 && $ok -gt 0 ]]
}
