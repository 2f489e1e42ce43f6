#!/bin/bash
# class_sets.sh OPGRADE: submissions of a class share the inputs and outputs of large calls, and none of them can read
# the files in which these are kept.
set -eu
opgrade=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
chmod 755 .
export XDG_CACHE_HOME=$work/cache
sets=$XDG_CACHE_HOME/opgrade/sets

fail() { echo "$1"; exit 1; }
count() { find "$sets" -name '*.set' 2> /dev/null | wc -l; }
expect_files() { [ "$(count)" = "$1" ] || fail "$(count) files instead of $1: $2"; }
grade() { out=$1; shift; "$opgrade" grade "$@" --config task --unchecked --jobs 1 --out "$out" > log 2>&1 || true; }
expect_outcome() { grep -q "^$1,$2," "$3/grades.csv" || { cat "$3/grades.csv" log; fail "$1 is not $2"; }; }

mkdir task honest late spy
cat > task/task.yaml <<'YAML'
opgrade: 1
name: scale
task:
  function: void scale(const float* x, float* y, int n)
  sizes: {n: {to: 1000000}}
  buffers: {x: {extents: [n]}, y: {extents: [n]}}
timing: {repetitions: 3}
stages:
  - name: cpu
    device: cpu
    cases: [{name: large, sizes: {n: 400000}, points: 100}]
YAML
# Longer than reading a set may take.
cat > task/reference.cpp <<'CPP'
#include "reference.h"

#include <chrono>

void reference(const float* x, double* y, double*, long long n) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < end) {
  }
  for (long long i = 0; i < n; ++i) y[i] = 2.0 * x[i];
}
CPP
cat > honest/scale.cc <<'CPP'
void scale(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];
}
CPP
cp honest/scale.cc late/
echo '// another file' >> late/scale.cc

# One with the original inputs, and three timed calls.
grade first honest late
expect_outcome honest passed first
expect_outcome late passed first
expect_files 4 "the second submission has the sets of the first"

grade first honest late --again
expect_outcome late passed first
[ "$(count)" -ge 7 ] || fail "a later run has no sets that a submission could know"

rm -r "$sets"
grade alone honest
expect_outcome honest passed alone
expect_files 0 "nobody else needs them"

# It names a file that is there.
grade second honest late
known=$(find "$sets" -name '*.set' | head -n 1)
cat > spy/scale.cc <<CPP
#include <dirent.h>
#include <fcntl.h>

static bool sees_sets() {
  const char* const files[] = {"$known", "$sets/round", "$sets", "$XDG_CACHE_HOME", "/proc/1/root$known"};
  for (const char* file : files)
    if (open(file, O_RDONLY) >= 0) return true;
  return opendir("$sets") != nullptr;
}

void scale(const float* x, float* y, int n) {
  const float factor = sees_sets() ? 0 : 2;
  for (int i = 0; i < n; ++i) y[i] = factor * x[i];
}
CPP
for without in none cgroup userns,cgroup; do
  export OPGRADE_SANDBOX_WITHOUT=${without#none}
  grade "spy-$without" spy honest
  expect_outcome honest passed "spy-$without"
  expect_outcome spy passed "spy-$without"
done

# The spy would see them: without a sandbox there are no files of what it is graded with.
files=$(count)
OPGRADE_SANDBOX_WITHOUT=cgroup,userns,landlock grade unsafe spy honest --unsafe
expect_outcome spy wrong_output unsafe
expect_files "$files" "none without a sandbox"
echo ok
