#!/bin/sh
# run.sh <opgrade-cucc> <source folder> <objects> build|run|wide [<file of grader> <sed expression>]
# build: compiles the check's kernels and main.cu for the emulated device with every access watched,
#        to objects that all runs share.
# run:   links and runs them. With a sed expression, that file is compiled with the mistake planted,
#        and success is that the run calls it wrong.
# wide:  compiles and runs wide.cu, without watching: an image of more than 2^31 elements.
set -eu
cucc=$1 source=$2 objects=$3 step=$4 file=${5-} mistake=${6-}
compile() {  # compile SOURCE OBJECT
  "$cucc" --check -std=c++20 --expt-relaxed-constexpr -O1 -I"$source" -c "$1" -o "$2"
}
if [ "$step" = build ]; then
  mkdir -p "$objects"
  compile "$source/tests/unit/platform/gpu/truth/main.cu" "$objects/main.o"
  for name in task/conv/device/truth platform/gpu/compare; do
    compile "$source/grader/$name.cu" "$objects/${name##*/}.o"
  done
  exit
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ "$step" = wide ]; then
  for name in tests/unit/platform/gpu/truth/wide grader/task/conv/device/truth; do
    "$cucc" -std=c++20 --expt-relaxed-constexpr -O1 -I"$source" -c "$source/$name.cu" -o "$folder/${name##*/}.o"
  done
  "$cucc" "$folder"/*.o -lpthread -o "$folder/wide"
  "$folder/wide"
  exit
fi
cp "$objects"/*.o "$folder"
if [ -n "$file" ]; then
  name=${file##*/}
  sed "$mistake" "$source/grader/$file" > "$folder/$name"
  if cmp -s "$source/grader/$file" "$folder/$name"; then
    echo "the mistake '$mistake' changes nothing in $file"
    exit 1
  fi
  compile "$folder/$name" "$folder/${name%.cu}.o"
fi
"$cucc" --check "$folder"/*.o -lpthread -o "$folder/main"
status=0
OPGRADE_EMULATION_REPORT=$folder/findings "$folder/main" || status=$?
test -s "$folder/findings"  # the report is an empty list where all was well
if grep '"kind"' "$folder/findings"; then status=1; fi
if [ -z "$file" ]; then exit $status; fi
echo "with the planted mistake: exit code $status"
test "$status" -ne 0
