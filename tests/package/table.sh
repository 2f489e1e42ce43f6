#!/usr/bin/env bash
# Puts what the last `make test-package` tried into the table of a page. A system that was not tried keeps its row.
#   table.sh BUILD PAGE
set -euo pipefail
rows=$1/package/rows page=$2
compgen -G "$rows/*" > /dev/null || {
  echo "no rows in $rows: no system was tried"
  exit 0
}
header='| system | way | tier | what was run |'
grep -qxF "$header" "$page" || {
  echo "error: $page has no table '$header'" >&2
  exit 1
}
awk -v header="$header" '
  function key(row,   cells) { split(row, cells, " *\\| *"); return cells[2] "|" cells[3] }
  function print_others(   i) { for (i = 1; i <= count; ++i) if (order[i] in row_of) print row_of[order[i]] }
  FNR == NR { order[++count] = key($0); row_of[order[count]] = $0; next }
  $0 == header { inside = 1 }
  inside && $0 !~ /^\|/ { print_others(); inside = 0 }
  inside && key($0) in row_of { print row_of[key($0)]; delete row_of[key($0)]; next }
  { print }
  END { if (inside) print_others() }
' <(cat "$rows"/*) "$page" > "$page.part"
cmp -s "$page.part" "$page" || echo "$page: the table of what was tried is new"
cat "$page.part" > "$page"
rm "$page.part"
