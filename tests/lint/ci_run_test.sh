#!/usr/bin/env bash
# ci_run_test.sh <project root>: .ci/run on a project of three tests. One is red beside others alone, one always on demand.
set -euo pipefail
root=${1:?usage: ci_run_test.sh <project root>}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir .ci build
cp "$root/.ci/run" .ci/
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
enable_testing()
add_test(NAME Good.One COMMAND true)
add_test(NAME Race.Lost COMMAND sh -c "echo seed: 17, words of the first run; test -e flaky || { touch flaky; exit 1; }")
add_test(NAME Always.Red COMMAND sh -c "! test -e red")
END
printf 'build/build.ninja:\n\t@cmake -G Ninja -S . -B build >/dev/null\ntest:\n\t@ctest --test-dir build --output-on-failure\n' >Makefile
fail() {
  echo "FAILED: $1"
  cat out
  exit 1
}
# run <exit code>
run() {
  local code=0
  .ci/run >out 2>&1 || code=$?
  [[ $code -eq $1 ]] || fail "exit code $code instead of $1"
}
line_of() { { grep -n -- "$1" out || true; } | tail -n 1 | cut -d: -f1; }

run 0
flaky=$(line_of '^FLAKY Race.Lost (seed: 17): ')
[[ -n $flaky ]] || fail "no line names the test that was red once"
grep -A 20 '^FLAKY' out | grep -q '^seed: 17, words of the first run' || fail "the first log is missing"
last=$(line_of '^100% tests passed, 0 tests failed out of 1')
((last > flaky)) || fail "the summary of the tests is not the last one"
(($(grep -c '^FLAKY' out) == 1)) || fail "more than one is called flaky"

run 0
! grep -q FLAKY out || fail "nothing was red"

touch build/red
rm build/flaky
run 8
grep -q '^FLAKY Race.Lost' out || fail "the one that is red once is not named beside the one that stays red"
! grep -q '^FLAKY Always.Red' out || fail "what stays red is not flaky"
grep -q '^50% tests passed, 1 tests failed out of 2' out || fail "the summary is missing"
