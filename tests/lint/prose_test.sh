#!/usr/bin/env bash
# prose_test.sh <project root>: prose.pl accepts the documents and the sources' comments and messages, and
# sees each planted mistake.
set -euo pipefail
root=$(realpath "${1:?usage: prose_test.sh <project root>}")
prose() { perl "$root/tests/lint/prose.pl" "$@"; }
cd "$root"
documents=(README.md CONTRIBUTING.md docs/*.md reference/models/README.md tests/*/README.md
  {configs,grader,kernels,reference,student_template}/README.md)
mapfile -t sources < <(find grader kernels reference student_template -type f \( -name '*.cc' -o -name '*.cpp' \
  -o -name '*.cu' -o -name '*.cuh' -o -name '*.h' -o -name '*.hpp' -o -name '*.inc' \) | sort)
prose "${documents[@]}" "${sources[@]}"

page=$(mktemp -d)
trap 'rm -rf "$page"' EXIT
failures=0
# planted <what> <expected complaint, or "nothing"> <text> [<file>]
planted() {
  local file=$page/${4:-page.md} said
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "$3" >"$file"
  if said=$(prose "$file"); then
    [[ $2 == nothing ]] && return
  elif [[ $2 != nothing ]] && grep -qF "$2" <<<"$said"; then
    return
  fi
  echo "not seen as '$2': $1; prose.pl said: $said"
  failures=$((failures + 1))
}
planted 'a word with a plainer one' '"nobody"' 'The lock is held by nobody.'
planted 'a word in code' nothing $'\n    held by nobody'
planted 'a word in a list' 'page.md:3:' $'Text.\n\n- Held by nobody.'
planted 'a word in a table' '"nobody"' '| a lock | held by nobody |'
planted 'the word as code' nothing 'The user is `nobody`.'
planted 'a diary' 'date 2026-11-21' 'It was run on 2026-11-21.'
planted 'provenance' nothing 'Measured: `make bench`, 2 cores, 2026-11-21.'
planted 'a commit' 'commit 0d6ee4b' 'Run at commit 0d6ee4b.'
planted 'a page without its readers' 'begin with its readers' $'# Title\n\nThis page has figures.' docs/page.md
planted 'a page with its readers' nothing $'# Title\n\nFor staff: this page has figures.' docs/page.md
planted 'generated text' nothing $'<!-- table -->\nWhoever writes this is a program.\n<!-- /table -->'
planted 'a message with a plainer word' '"nobody"' 'throw Error("the lock is held by nobody here");' a.hpp
planted 'a word in a comment' 'a.hpp:1: "nobody"' '/// Held by nobody.' a.hpp
planted 'a word in a comment behind code' '"nobody"' 'int a = 1;  ///< held by nobody' a.hpp
planted 'a short literal' nothing 'int x = f("Whoever waits");  // a reason' a.hpp
planted 'an included file' nothing '#include "nobody reads this at all"' a.hpp
((failures == 0)) || exit 1
echo "prose: ${#documents[@]} documents and ${#sources[@]} sources, no complaint; prose.pl saw every planted mistake"
