#!/usr/bin/env bash
# A course repository with find_package(opgrade), by an install prefix, with the source and build folders out of sight.
#   course.sh BUILD SOURCE
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
need bwrap bubblewrap
hide=(bwrap --dev-bind / / --tmpfs "$source")
[[ $build == "$source"/* ]] || hide+=(--tmpfs "$build")
"${hide[@]}" true || skip "no namespace to hide the source tree in"
cp -r "$source/tests/package/course-repository" "$work/course"
cmake --install "$build" --prefix "$work/prefix" --component opgrade > "$work/install.log"
unset OPGRADE_SHARE
export OPGRADE_DATA=${OPGRADE_DATA:-$work/data} PATH=$work/prefix/bin:$PATH
hide+=(--chdir "$work")
[[ $OPGRADE_DATA != "$build"/* ]] || hide+=(--bind "$OPGRADE_DATA" "$OPGRADE_DATA")

start_lap
expect 0 'Configuring done' "${hide[@]}" cmake -S course -B out
lap "cmake"
expect 0 '100% tests passed, 0 tests failed out of 3' "${hide[@]}" ctest --test-dir out --output-on-failure
lap "ctest"
expect 0 '^PASSED' "${hide[@]}" cmake --build out --target solution

# Red where it must be: a solution with a mistake, and a mistake that the config does not show.
sed -i 's/sum += x\[/sum -= x[/' "$work/course/solution/new-forward.cu"
cp "$work/course/solution/cpu-new-forward.cc" "$work/course/mistakes/crashing/"
expect 8 '33% tests passed, 2 tests failed out of 3' "${hide[@]}" ctest --test-dir out
# A config with a mistake stops the configuration, by line; so does a folder that is not there.
sed -i 's/^pass_mark:/pas_mark:/' "$work/course/course.yaml"
expect 1 'course.yaml:6:' "${hide[@]}" cmake -S course -B out
sed -i 's/^pas_mark:/pass_mark:/; s/FOLDER solution/FOLDER absent/' "$work"/course/{course.yaml,CMakeLists.txt}
expect 1 'absent does' "${hide[@]}" cmake -S course -B out
finish
