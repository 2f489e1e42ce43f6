#!/usr/bin/env bash
# ci_run_test.sh <project root>: .ci/run on a project of six tests. One is red beside others alone, one always on demand, one
# takes long on demand, two are of a sanitizer's.
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
add_test(NAME Long.One COMMAND sh -c "test ! -e long || { rm long; sleep 600; }")
add_test(NAME Good.One COMMAND true)
add_test(NAME Race.Lost COMMAND sh -c "echo seed: 17, words of the first run; test -e flaky || { touch flaky; exit 1; }")
add_test(NAME Always.Red COMMAND sh -c "! test -e red")
if(OPGRADE_TSAN_TREE)
  add_test(NAME tsan.One COMMAND test -e ${OPGRADE_TSAN_TREE}/build.ninja)
  set_tests_properties(tsan.One PROPERTIES LABELS tsan)
endif()
if(OPGRADE_SANITIZED STREQUAL whole AND OPGRADE_WERROR)
  add_test(NAME sanitized.One COMMAND true)
  set_tests_properties(sanitized.One PROPERTIES LABELS "sanitizer;whole")
endif()
END
cat >CMakePresets.json <<'END'
{"version": 6,
 "configurePresets": [{"name": "tsan", "generator": "Ninja", "binaryDir": "${sourceDir}/build-tsan"}],
 "buildPresets": [{"name": "tsan", "configurePreset": "tsan"}]}
END
git init -q .
git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m one
printf 'build/build.ninja:\n\t@cmake -G Ninja -S . -B build >/dev/null\nbuild: build/build.ninja\n\t@cmake --build build\n.PHONY: build test\ntest: build\n\t@ctest --test-dir build --output-on-failure $(CTEST_ARGS)\n' >Makefile
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

# One sanitizer's tests all run, by the commit; both trees are built whichever it is.
ran() { grep -q "Test .*: $1 \|Test *#[0-9]*: $1 " out; }
digit=$(git rev-parse HEAD | tail -c 2)
((16#$digit % 2)) && own=tsan.One other=sanitized.One || own=sanitized.One other=tsan.One
ran "$own" || fail "the commit's sanitizer did not run"
! ran "$other" || fail "both sanitizers ran"
OPGRADE_SANITIZER=asan run 0
ran sanitized.One && ! ran tsan.One || fail "not the address sanitizer's alone"
OPGRADE_SANITIZER=tsan run 0
ran tsan.One && ! ran sanitized.One || fail "not the thread sanitizer's alone"
OPGRADE_CI_MINUTES=-1 run 0
grep -q '^no room for the sanitizer ' out || fail "without time left nothing says that there is no room"
ran Good.One && ! ran tsan.One && ! ran sanitized.One || fail "a sanitizer ran without room"
rm -r build-tsan
OPGRADE_SANITIZER=asan run 0
[[ -e build-tsan/build.ninja ]] || fail "the tree of the thread sanitizer is not built"

touch build/long
OPGRADE_SANITIZER=none OPGRADE_CI_LEFT=20 run 0
grep -q '^NOT RUN Good.One$' out || fail "the test that had no room is not named"
! grep -q '^NOT RUN Long.One\|^FLAKY' out || fail "what was cut off did run, and is not flaky"
grep -q '^100% tests passed, 0 tests failed out of 1' out || fail "what was cut off did not run again"

touch build/red
rm build/flaky
OPGRADE_SANITIZER=none run 8
grep -q '^FLAKY Race.Lost' out || fail "the one that is red once is not named beside the one that stays red"
! grep -q '^FLAKY Always.Red' out || fail "what stays red is not flaky"
grep -q '^50% tests passed, 1 tests failed out of 2' out || fail "the summary is missing"
