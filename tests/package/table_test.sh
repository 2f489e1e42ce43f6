#!/usr/bin/env bash
# shellcheck disable=SC2016
# tests/package/table.sh makes a page's table, replaces rows of systems that were tried again and keeps the others.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/package/rows"
fail() {
  echo "FAILED: $1"
  exit 1
}
page=$work/page.md
tried() { "$here/table.sh" "$work" "$page" > "$work/output" 2>&1; }
# wants LINE...: the table's rows, and what stands around it.
wants() {
  printf '%s\n' 'Before.' '' '<!-- tried by make test-package -->' '' '| system | way | tier | what was run |' '|--|--|--|--|' \
    "$@" '' '## Next' > "$work/wanted"
  diff "$work/wanted" "$page" || fail "the page is not as wanted"
}

printf '%s\n' 'Before.' '' '<!-- tried by make test-package -->' '' '## Next' > "$page"
tried || fail "no rows are no error"
echo '| Debian 12 | `.deb` | no cgroup | old |' > "$work/package/rows/deb-bookworm"
tried || fail "the first row"
wants '| Debian 12 | `.deb` | no cgroup | old |'
echo '| Debian 12 | `.deb` | full | new |' > "$work/package/rows/deb-bookworm"
echo '| Debian 13 | bundle | no cgroup | new |' > "$work/package/rows/portable-trixie"
tried || fail "a row again"
wants '| Debian 12 | `.deb` | full | new |' '| Debian 13 | bundle | no cgroup | new |'
rm "$work/package/rows/deb-bookworm"
tried || fail "one system of two"
wants '| Debian 12 | `.deb` | full | new |' '| Debian 13 | bundle | no cgroup | new |'
echo 'No mark.' > "$page"
! tried || fail "a page without the mark is taken"
grep -q 'put one where' "$work/output" || fail "the error does not say what to do"
echo "passed"
