#!/usr/bin/env bash
# Puts what the last `make test-package` tried into a page, behind its line <!-- tried by make test-package -->, as a table. A
# system that was not tried keeps its row.
#   table.sh BUILD PAGE
set -euo pipefail
rows=$1/package/rows page=$2
mark='<!-- tried by make test-package -->'
compgen -G "$rows/*" > /dev/null || {
  echo "no rows in $rows: no system was tried"
  exit 0
}
grep -qxF -- "$mark" "$page" || {
  echo "error: $page has no line '$mark'; put one where the table belongs" >&2
  exit 1
}
awk -v mark="$mark" '
  function key(row,   cells) { split(row, cells, " *\\| *"); return cells[2] "|" cells[3] }
  function keep(row) { if (!(key(row) in row_of)) order[++count] = key(row); row_of[key(row)] = row }
  function print_table(   i) {
    print "\n| system | way | tier | what was run |\n|--|--|--|--|"
    for (i = 1; i <= count; ++i) print row_of[order[i]]
    if (!began) print ""
    inside = 0
  }
  FNR == NR { fresh[++rows] = $0; next }
  $0 == mark { print; inside = 1; next }
  inside && /^\|/ { if (!/^\| system / && !/^\|--/) keep($0); began = 1; next }
  inside && !/^\|/ && !(/^$/ && !began) { for (i = 1; i <= rows; ++i) keep(fresh[i]); print_table() }
  inside { next }
  { print }
  END { if (inside) { for (i = 1; i <= rows; ++i) keep(fresh[i]); print_table() } }
' <(cat "$rows"/*) "$page" > "$page.part"
cmp -s "$page.part" "$page" || echo "$page: the table of what was tried is new"
cat "$page.part" > "$page"
rm "$page.part"
