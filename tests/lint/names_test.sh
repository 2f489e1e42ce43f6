#!/usr/bin/env bash
# names_test.sh <project root>: every test, submission, file, make target and option that a document names is there, and
# names.pl sees each planted mistake.
set -euo pipefail
root=$(realpath "${1:?usage: names_test.sh <project root>}")
cd "$root"
names() { perl tests/lint/names.pl "$root" "$@"; }
names {README,CONTRIBUTING,SECURITY,CHANGELOG}.md docs/*.md reference/models/README.md tests/*/README.md \
  tests/corpus/*/README.md {configs,grader,kernels,reference,student_template}/README.md

page=$(mktemp -d)
trap 'rm -rf "$page"' EXIT
failures=0
# planted <expected complaint, or "nothing"> <text>
planted() {
  local said
  printf '%s\n' "$2" >"$page/page.md"
  if said=$(names "$page/page.md"); then
    [[ $1 == nothing ]] && return
  elif [[ $1 != nothing ]] && grep -qF "$1" <<<"$said"; then
    return
  fi
  echo "not seen as '$1': $2; names.pl said: $said"
  failures=$((failures + 1))
}
planted "no test 'SandboxLimit.Nothing'" 'SandboxLimit.Nothing holds it.'
planted "no test 'SandboxLimit.Mem'" 'SandboxLimit.Mem is no whole name.'
planted nothing 'SandboxLimit.Memory, SandboxLimit.Mem..., Freeze.*'
planted "no test of ctest 'integration.no_such_test'" '`integration.no_such_test`'
planted nothing '`integration.corpus`, `lint.names`, `integration.service_client`'
planted "no submission 'h99'" '*h99*'
planted nothing '*h08_tmp*'
planted "no file 'gone.md'" '[gone](gone.md)'
planted "no file 'grader/gone.cpp'" 'See `grader/gone.cpp`.'
planted "no file 'tests/gone.sh'" '    tests/gone.sh build'
planted nothing '`grader/<room>/<module>/CMakeLists.txt`, `measure/measure.hpp`, `gpu/new-forward.h`'
planted "no target of make 'nothing'" '    make nothing'
planted "no option '--of-no-program'" '    opgrade check . --of-no-program'
planted nothing '`opgrade check . --only cpu`'
((failures == 0)) || exit 1
echo "names.pl saw every planted mistake"
