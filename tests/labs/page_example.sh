#!/usr/bin/env bash
# page_example.sh <opgrade> <docs/new-task.md>: the example of the page, file by file, passes its check.
set -euo pipefail
opgrade=${1:?usage: page_example.sh <opgrade> <page>}
page=${2:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# `FILE`, an empty line, a fenced block.
perl -0ne 'while (/^`([\w.\/]+)`\n\n```\w+\n(.*?)^```$/msg) {
  my ($name, $text) = ($1, $2);
  my $file = "'"$work"'/saxpy/$name";
  system("mkdir", "-p", $file =~ s|/[^/]*$||r);
  open(my $out, ">", $file) or die "$file: $!";
  print $out $text;
}' "$page"
lines=$(find "$work/saxpy" -type f -exec cat {} + | wc -l)
((lines > 30 && lines < 80)) || { echo "the example has $lines lines"; exit 1; }
"$opgrade" task check "$work/saxpy" --device emulated --mutants 2
