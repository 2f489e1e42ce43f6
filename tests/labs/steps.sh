# shellcheck shell=bash
# Sourced by walks whose steps are commands: each has an exit code and a text to print, and all are tried.
failures=0
# step <expected exit code> <grep's option for the text> <text that the output must have> <command...>
step() {
  local wanted=$1 kind=$2 text=$3 code=0 said
  shift 3
  said=$(timeout 500 "$@" 2>&1) || code=$?
  [[ $code -eq $wanted ]] || { echo "$*: exit code $code instead of $wanted"; echo "$said"; failures=$((failures + 1)); }
  [[ $kind == -F ]] || said=$(tr -s ' \n' ' ' <<<"$said")
  grep -q "$kind" -- "$text" <<<"$said" ||
    { echo "$*: the output lacks '$text'"; echo "$said"; failures=$((failures + 1)); }
}
# run <expected exit code> <text> <command...>
run() { step "$1" -F "${@:2}"; }
# matches <expected exit code> <extended pattern for the output as one line> <command...>
matches() { step "$1" -E "${@:2}"; }
