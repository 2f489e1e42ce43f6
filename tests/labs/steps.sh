# shellcheck shell=bash
# Sourced by walks whose steps are commands: each has an exit code and a text to print, and all are tried.
failures=0
# run <expected exit code> <text that the output must have> <command...>
run() {
  local wanted=$1 text=$2 code=0 said
  shift 2
  said=$(timeout 500 "$@" 2>&1) || code=$?
  [[ $code -eq $wanted ]] || { echo "$*: exit code $code instead of $wanted"; echo "$said"; failures=$((failures + 1)); }
  grep -qF -- "$text" <<<"$said" ||
    { echo "$*: the output lacks '$text'"; echo "$said"; failures=$((failures + 1)); }
}
