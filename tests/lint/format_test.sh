#!/usr/bin/env bash
# format_test.sh <project root>: format.sh accepts the tree, names a planted file that is laid out
# otherwise and how to mend it, and leaves handed-in code alone.
set -euo pipefail
root=$(realpath "${1:?usage: format_test.sh <project root>}")
format=$root/tests/lint/format.sh
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
"$format" "$root"

mkdir -p "$copy"/{grader,kernels,reference,student_template,tests/corpus/one}
cp "$root/.clang-format" "$copy"
echo 'int  a ;' >"$copy/grader/a.hpp"
echo '__global__ void  k() {}' >"$copy/kernels/k.cu"
echo 'int b;' >"$copy/kernels/b.cc"
cp "$root/tests/corpus/.clang-format" "$copy/tests/corpus"
echo 'int  c ;' >"$copy/tests/corpus/one/c.cc"
if said=$("$format" "$copy") || [[ $said != *'-i grader/a.hpp kernels/k.cu' ]]; then
  echo "not as it should be; format.sh said: $said"
  exit 1
fi
sh -c "cd '$copy' && ${said##*: }"
"$format" "$copy" >/dev/null || { echo "its own command does not mend it"; exit 1; }
[[ $(<"$copy/tests/corpus/one/c.cc") == 'int  c ;' ]] || { echo "handed-in code was changed"; exit 1; }
echo "format.sh saw what was planted"
