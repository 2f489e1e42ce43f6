#!/usr/bin/env bash
# Takes one rule out of a module at a time; the test that is named for it must turn red.
#   tests/mutants/run.sh BUILD RULES...
#   tests/mutants/run.sh --check RULES...     whether each rule's text and test are there; builds nothing
# A rule: program | file | text | text without the rule | test. \| is a bar. The text stands in the file once.
set -euo pipefail
build=
[[ $1 == --check ]] || build=$(cd "$1" && pwd)
shift
mapfile -t rules < <(realpath "$@")
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

trim() {
  local text=$1
  text=${text#"${text%%[![:space:]]*}"}
  text=${text%"${text##*[![:space:]]}"}
  printf '%s' "${text//$'\x1f'/|}"
}

# The command that links the program, with the changed file before the module's library.
link() {
  local program=$1 object=$2 command
  command=$(ninja -C "$build" -t commands "tests/$program" | tail -1)
  command=${command#: && }
  command=${command%% && *}
  command=${command/ -o tests\/$program / -o $folder\/program $object -Wl,--allow-multiple-definition }
  (cd "$build" && eval "$command")
}

caught=0 left=0
while IFS= read -r line; do
  [[ -z $line || $line == \#* ]] && continue
  IFS='|' read -r program file text without test <<< "${line//\\|/$'\x1f'}"
  program=$(trim "$program") file=$(trim "$file") text=$(trim "$text")
  without=$(trim "$without") test=$(trim "$test")
  source=$(< "$file")
  rest=${source#*"$text"}
  if [[ $rest == "$source" || $rest == *"$text"* ]]; then
    echo "$file does not have this text exactly once: $text" >&2
    [[ -z $build ]] || exit 1
    left=$((left + 1))
  fi
  if [[ -z $build ]]; then
    grep -rqE "^TEST(_F|_P)?\\(${test/./, }\\)" tests/unit tests/labs || {
      echo "there is no test $test" >&2
      left=$((left + 1))
    }
    continue
  fi
  printf '%s\n' "${source/"$text"/"$without"}" > "$folder/changed.cpp"
  g++ -std=c++20 -I. -w -c "$folder/changed.cpp" -o "$folder/changed.o"
  link "$program" "$folder/changed.o"
  if "$folder/program" --gtest_filter="$test" > "$folder/out" 2>&1; then
    echo "GREEN without its rule: $test: $text"
    left=$((left + 1))
  elif grep -q "^\[  FAILED  \] $test" "$folder/out"; then
    echo "red: $test"
    caught=$((caught + 1))
  else
    cat "$folder/out" >&2
    echo "$test did not run" >&2
    exit 1
  fi
done < <(cat "${rules[@]}")
[[ -z $build ]] ||
  echo "$caught rules have a test that is red without them, $left have none"
[[ $left == 0 ]]
