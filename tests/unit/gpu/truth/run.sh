#!/bin/sh
# run.sh <opgrade-cucc> <source folder> [<file of grader/gpu> <sed expression>]
# Compiles the check's kernels for the emulated device with every access watched and runs main.cu.
# With a sed expression that plants a mistake in that file, success is that the run calls it wrong.
set -eu
cucc=$1 source=$2 file=${3-} mistake=${4-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$source/grader/gpu/truth.cu" "$source/grader/gpu/compare.cu" "$folder"
if [ -n "$file" ]; then
  sed -i "$mistake" "$folder/$file"
  if cmp -s "$source/grader/gpu/$file" "$folder/$file"; then
    echo "the mistake '$mistake' changes nothing in $file"
    exit 1
  fi
fi
"$cucc" --check -std=c++20 -O1 -I"$source" "$source/tests/unit/gpu/truth/main.cu" \
  "$folder/truth.cu" "$folder/compare.cu" -lpthread -o "$folder/main"
status=0
OPGRADE_EMULATION_REPORT=$folder/findings "$folder/main" || status=$?
test -s "$folder/findings"  # the report is an empty list where all was well
if grep '"kind"' "$folder/findings"; then status=1; fi
if [ -z "$file" ]; then exit $status; fi
echo "with the planted mistake: exit code $status"
test "$status" -ne 0
