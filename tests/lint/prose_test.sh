#!/usr/bin/env bash
# prose_test.sh <project root>: prose.pl accepts the documents and sees each planted mistake.
set -euo pipefail
root=$(realpath "${1:?usage: prose_test.sh <project root>}")
prose() { perl "$root/tests/lint/prose.pl" "$@"; }
cd "$root"
mapfile -t documents < <(find . \( -path './build*' -o -path './.git' -o -path ./tests/golden \
  -o -path './tests/submissions/*/*' \) -prune -o \( -name README.md -o -name CONTRIBUTING.md \
  -o -path './docs/*.md' \) -type f -print | sed 's|^\./||' | sort)
prose "${documents[@]}"

page=$(mktemp -d)
trap 'rm -rf "$page"' EXIT
failures=0
# planted <what> <expected complaint, or "nothing"> <text>
planted() {
  mkdir -p "$page/docs"
  printf '%s\n' "$3" >"$page/docs/page.md"
  local said
  if said=$(prose "$page/docs/page.md"); then
    [[ $2 == nothing ]] && return
  elif [[ $2 != nothing ]] && grep -qF "$2" <<<"$said"; then
    return
  fi
  echo "not seen as '$2': $1; prose.pl said: $said"
  failures=$((failures + 1))
}
long='one two three four five six seven eight nine ten eleven twelve thirteen fourteen'
planted 'a long sentence' 'has 28 words' "$long $long."
planted 'a long sentence of a list' 'page.md:3:' $'Text.\n\n- '"$long $long."
planted 'two short sentences' nothing "O$long. T$long."
planted 'a table' nothing "| $long | $long |"
planted 'code' nothing "    $long $long"
planted 'a headless opening' 'opens with a headless "Whoever"' 'Whoever grades waits.'
planted 'a word with a plainer one' '"nobody"' 'The lock is held by nobody.'
planted 'a word in a table' '"nobody"' '| a lock | held by nobody |'
planted 'the word as code' nothing 'The user is `nobody`.'
planted 'a diary' 'date 2026-11-21' 'It was run on 2026-11-21.'
planted 'provenance' nothing 'Measured: `make bench`, 2 cores, 2026-11-21.'
planted 'a commit' 'commit 0d6ee4b' 'Run at commit 0d6ee4b.'
planted 'generated text' nothing $'<!-- table -->\nWhoever writes this is a program.\n<!-- /table -->'
((failures == 0)) || exit 1
echo "prose: ${#documents[@]} documents, no complaint; prose.pl saw every planted mistake"
