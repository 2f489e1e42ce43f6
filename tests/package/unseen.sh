#!/usr/bin/env bash
# Neither the compiler nor a run of a submission sees opgrade's own solutions, labs and images, though all of them lie
# below /usr: an installation in /usr/local, the files of a .deb in /usr/share, and a bundle below /usr/local/lib.
#   unseen.sh BUILD SOURCE
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
need bwrap bubblewrap
images=${OPGRADE_IMAGES:-/usr/share/datasets/fashion-mnist}
[[ -e $images ]] || skip "no $images here"
cmake --install "$build" --prefix "$work/local" --component opgrade > "$work/install.log"
cp -r "$work/local" "$work/bundle"
mv "$work/bundle" "$work/local/lib/bundle"
mkdir -p "$work/bob" "$work/data"
echo 'const int kHis = 1;' > "$work/bob/solution.h"
chmod -R a+rX "$work"
# shown COMMAND...: on the machine that has opgrade in all these places.
shown() {
  local hide=(--tmpfs "$source")
  [[ $build == "$source"/* ]] || hide+=(--tmpfs "$build")
  bwrap --dev-bind / / --tmpfs /usr/share --tmpfs /home "${hide[@]}" --ro-bind "$work/local" /usr/local \
    --ro-bind "$work/local/share/opgrade" /usr/share/opgrade --perms 0755 --dir /usr/share/datasets \
    --ro-bind "$images" /usr/share/datasets/fashion-mnist \
    --ro-bind "$work/bob" /home/bob --chdir "$work" "$@"
}
shown true || skip "no namespace to install in"
unset OPGRADE_SHARE
export OPGRADE_DATA=$work/data

good=$source/reference/solution/minidnn-3
own=share/opgrade/reference_solution/minidnn-3/cpu-new-forward.cc
labels=/usr/share/datasets/fashion-mnist/t10k-labels-idx1-ubyte.gz
# attack NAME SOURCE: of a submission that has no work of its own, or more than its own.
attack() {
  mkdir -p "$work/class/$1"
  echo "$2" > "$work/class/$1/cpu-new-forward.cc"
}
n=0
for place in /usr /usr/local /usr/local/lib/bundle /usr/lib/.. /lib/.. /proc/self/root/usr; do
  n=$((n + 1))
  attack "include$n" "#include \"$place/$own\""
  attack "asked$n" "#if __has_include(\"$place/$own\")
#include \"$place/$own\"
#else
#error unseen
#endif"
done
n=0
for file in "$labels" "/proc/self/root$labels" /usr/share/opgrade/labs/openmp_histogram/reference.cpp \
  /usr/local/share/opgrade/labs/openmp_histogram/task.yaml /usr/local/lib/bundle/share/opgrade/commit /home/bob/solution.h \
  "$work/bob/solution.h" "$OPGRADE_DATA/opened" /usr/local/libexec/opgrade/opgrade-harness /etc/passwd; do
  n=$((n + 1))
  attack "bytes$n" "$(cat "$good/cpu-new-forward.cc")
asm(\".incbin \\\"$file\\\"\");"
  opened+="\"$file\", "
done
echo x > "$OPGRADE_DATA/opened"
# The run of an honest submission finds none of these files: it would end.
mkdir -p "$work/class/honest"
{
  echo '#include <cstdio>'
  cat "$good/cpu-new-forward.cc"
  echo "static const bool none = [] {
  for (const char* file : {$opened \"/usr/$own\"})
    if (std::fopen(file, \"r\") != nullptr) __builtin_trap();
  return true;
}();"
} > "$work/class/honest/cpu-new-forward.cc"

# In the tier with namespaces and in the tier without: grade the class, where honest alone may pass.
for without in '' userns; do
  rm -rf "$work/results"
  for opgrade in /usr/local/bin/opgrade /usr/local/lib/bundle/bin/opgrade; do
    [[ -z $without || $opgrade == /usr/local/bin/* ]] || continue
    rm -rf "$work/results"
    OPGRADE_SANDBOX_WITHOUT=$without shown "$opgrade" grade "$work"/class/* --config self-check --only cpu/random \
      --out "$work/results" --quiet > "$work/graded" 2>&1 || true # all others are wrong
    [[ -s $work/results/grades.csv ]] || {
      complain "no grades by $opgrade without '$without'"$'\n'"$(cat "$work/graded")"
      continue
    }
    for folder in "$work"/class/*; do
      name=${folder##*/} wanted=build_failed
      [[ $name != honest ]] || wanted=passed
      grep -qE "^$name,$wanted," "$work/results/grades.csv" ||
        complain "not $wanted by $opgrade without '$without': $(grep "^$name," "$work/results/grades.csv")"
      [[ $name == honest ]] || tr -s '|\n ' ' ' < "$work/results/$name/report.txt" |
        grep -qE 'No such file|Permission denied|file not found|unseen' ||
        complain "$name fails for another reason:"$'\n'"$(cat "$work/results/$name/report.txt")"
    done
    lap "a class by $opgrade without '$without'"
  done
done

# On the emulated device, whose compiler is opgrade's own program.
mkdir -p "$work/gpu"
cp "$good/cpu-new-forward.cc" "$work/gpu/"
echo "#include \"/usr/${own%/*}/new-forward.cu\"" > "$work/gpu/new-forward.cu"
expect 1 'does not build' shown /usr/local/bin/opgrade check gpu --only gpu/random --device emulated
cp "$good/new-forward.cu" "$work/gpu/"
expect 0 '^PASSED' shown /usr/local/bin/opgrade check gpu --only gpu/random --device emulated --quiet
finish
