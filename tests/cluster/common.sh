# shellcheck shell=bash
# Sourced by the scripts beside it, SCRIPT BUILD SOURCE. Exit code 77: skipped, with the reason.
set -euo pipefail
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
opgrade=$build/bin/opgrade
export OPGRADE_DATA=$build/data
work=$(mktemp -d "${TMPDIR:-/tmp}/opgrade-cluster-XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0
complain() {
  echo "FAILED: $*"
  failed=$((failed + 1))
}
# expect CODE TEXT COMMAND...: its exit code, and a line of its output, which stays in $work/output.
expect() {
  local code=$1 text=$2 got=0
  shift 2
  "$@" > "$work/output" 2>&1 || got=$?
  [[ $got == "$code" ]] || complain "exit code $got, not $code: $*"$'\n'"$(cat "$work/output")"
  grep -qE -- "$text" "$work/output" || complain "no line like '$text': $*"$'\n'"$(cat "$work/output")"
}
finish() {
  ((failed == 0)) || exit 1
  echo "passed"
}
