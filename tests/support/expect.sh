# shellcheck shell=bash
# Complaints of a script that tries commands. The script that sources it has a folder $work.
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
