#!/usr/bin/env bash
# ARM64 Linux, cross-built and run under qemu-user: unit tests, the mistakes and counts of the emulated device, and reports
# of submissions, which must say what those of this machine's build say. qemu-user has no user namespaces, seccomp or
# Landlock: the sandbox's own tests and its tiers need a machine of ARM64 (.github/workflows/arm64.yml).
#   OPGRADE_MUST_RUN=arm64 arm64.sh BUILD SOURCE
# OPGRADE_ARM64_ROOT: see packaging/arm64.sh.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
must_run() { [[ ,${OPGRADE_MUST_RUN:-}, == *,arm64,* ]]; }
must_run || skip "only with OPGRADE_MUST_RUN=arm64: a cross build, and programs under qemu-user"
need mmdebstrap mmdebstrap
need arch-test arch-test
need qemu-aarch64-static qemu-user-static
need aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
((EUID == 0)) || skip "a Debian of ARM64 needs root"
arch-test arm64 > /dev/null || skip "this kernel does not start programs of ARM64: apt-get install binfmt-support"
arm=$cache/arm64
start_lap
unit=(check_test core_test data_test emulation_counting_test emulation_driver_test emulation_formats_test
  emulation_translator_test files_test measure_test network_test profile_test reference_test report_test run_test
  sandbox_unit_test score_test)
"$source/packaging/arm64.sh" "$arm" opgrade-program "${unit[@]}" mistakes_test features_test counts_test
lap "cross build"

# Tests start programs of ARM64, and opgrade-cucc the cross compiler.
export QEMU_LD_PREFIX=${OPGRADE_ARM64_ROOT:-$arm/root} OPGRADE_HOST_COMPILER=aarch64-linux-gnu-g++
for program in "${unit[@]}" mistakes_test features_test counts_test; do
  "$arm/tests/$program" --gtest_brief=1 > "$work/output" 2>&1 || complain "$program"$'\n'"$(tail -n 40 "$work/output")"
  tail -n 3 "$work/output"
  lap "$program"
done

# The same sources, config and seed on both.
sample=$arm/sample
rm -rf "$sample"
submissions "$sample"
for lab in softmax find_the_bug; do
  for one in "$source/labs/$lab/submissions"/{passed,mistake_found}/*; do
    [[ ! -d $one ]] || cp -r "$one" "$sample/$lab.${one##*/}"
  done
done
data=$work/data
for folder in "$sample"/*; do
  name=${folder##*/} config=self-check
  [[ $name != *.* ]] || config=$source/labs/${name%.*}
  arguments=("$folder" --config "$config" --device emulated --seed 408 --unsafe --json --quiet)
  OPGRADE_DATA=$data "$build/bin/opgrade" check "${arguments[@]}" > "$work/here.json" 2> "$work/here.log" || true
  "$source/packaging/arm64.sh" --run "$arm" env OPGRADE_DATA="$sample/data" "$arm/bin/opgrade" check "${arguments[@]}" \
    > "$work/there.json" 2> "$work/there.log" || true
  for machine in here there; do
    [[ -s $work/$machine.json ]] || complain "$name: no report from $machine"$'\n'"$(tail -n 20 "$work/$machine.log")"
  done
  "$source/tests/package/compare_reports.py" "$work/here.json" "$work/there.json" > "$work/output" ||
    complain "the reports of $name differ"$'\n'"$(cat "$work/output")"
  lap "$name on both"
done
# shellcheck disable=SC2016
row 'ARM64, Debian 12, under qemu-user' 'cross build' none \
  'unit tests; mistakes, features and counts of the emulated device; four submissions and two labs: the reports of x86-64'
finish
