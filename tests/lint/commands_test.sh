#!/usr/bin/env bash
# commands_test.sh <project root>: CI or a test runs each command that a document names, and commands.pl sees each planted one
# that nothing runs.
set -euo pipefail
root=$(realpath "${1:?usage: commands_test.sh <project root>}")
cd "$root"
commands() { perl tests/lint/commands.pl "$root" "$@"; }
commands {README,CONTRIBUTING,SECURITY}.md docs/*.md tests/*/README.md tests/corpus/*/README.md \
  {configs,grader,kernels,reference,student_template}/README.md

page=$(mktemp -d)
trap 'rm -rf "$page"' EXIT
failures=0
# planted <command that nothing runs, or "nothing"> <text>
planted() {
  local said
  printf '%s\n' "$2" >"$page/page.md"
  if said=$(OPGRADE_PLANTED=1 commands "$page/page.md"); then
    [[ $1 == nothing ]] && return
  elif [[ $1 != nothing ]] && grep -qF "nothing runs '$1'" <<<"$said"; then
    return
  fi
  echo "not seen as '$1': $2; commands.pl said: $said"
  failures=$((failures + 1))
}
planted "make clean" '    make build clean'
planted "make install" 'After `make install` all is there.'
planted "tools/of-no-test.sh" 'See `tools/of-no-test.sh`.'
planted "opgrade of-no-test" '    opgrade of-no-test my-conv'
planted "opgrade course of-no-test" '`opgrade course of-no-test gpu`'
planted nothing '    make test test-package installed data'
planted nothing '`make test-tsan`, `make mutants`, `.ci/run`'
planted nothing '    opgrade task check saxpy'
planted nothing 'You make clean notes, and install tools/of-no-test.sh.'
((failures == 0)) || exit 1
