#!/usr/bin/env bash
# The .deb in a clean Debian 12, or Ubuntu 24.04: apt-get install ./opgrade_*.deb && opgrade check DIR.
#   deb.sh BUILD SOURCE [noble]
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
long_test
need dpkg-shlibdeps dpkg-dev
need file file
tree=$work/tree
clean_tree "$tree"
start_lap
(cd "$work" && rm -f "$cache"/*.deb && cpack --config "$build/CPackConfig.cmake" -B "$cache" > cpack.log 2>&1) || {
  cat "$work/cpack.log"
  exit 1
}
lap "cpack"
cp "$cache"/opgrade_*.deb "$tree/root/"
apt_in "$tree" "./$(basename "$tree"/root/opgrade_*.deb)"
lap "apt-get install ./opgrade_*.deb"

submissions "$tree/home/student"
chown -R 1000:1000 "$tree/home/student"
verdicts in_tree "$tree" student opgrade
# Neither compiler nor run sees what the package installed, nor the images.
home=$tree/home/student own=/usr/share/opgrade labels=/usr/share/datasets/fashion-mnist/t10k-labels-idx1-ubyte.gz
for peek in solution labels run; do cp -r "$home/good" "$home/$peek"; done
mkdir "$home/lab"
echo "#include \"$own/reference_solution/minidnn-3/new-forward.cu\"" > "$home/solution/new-forward.cu"
echo "asm(\".incbin \\\"$labels\\\"\");" >> "$home/labels/cpu-new-forward.cc"
echo "#include \"$own/labs/openmp_histogram/solution/openmp_histogram.cc\"" > "$home/lab/openmp_histogram.cc"
echo "#include <cstdio>
static const bool none = [] {
  for (const char* file : {\"$labels\", \"$own/reference_solution/minidnn-3/new-forward.cu\"})
    if (std::fopen(file, \"r\") != nullptr) __builtin_trap();
  return true;
}();" >> "$home/run/new-forward.cu"
for file in reference_solution/minidnn-3/new-forward.cu labs/openmp_histogram/solution/openmp_histogram.cc; do
  [[ -e $tree$own/$file ]] || complain "$own/$file is not in the package"
done
[[ -e $tree$labels ]] || complain "$labels is not there"
chown -R 1000:1000 "$home"
expect 1 'does not build' in_tree "$tree" student opgrade check solution --only gpu/random --quiet
expect 1 'does not build' in_tree "$tree" student opgrade check labels --only cpu/random --quiet
expect 1 'does not build' in_tree "$tree" student opgrade check lab --config "$own/labs/openmp_histogram" --quiet
expect 0 '^PASSED' in_tree "$tree" student opgrade check run --only gpu/random --quiet
expect 0 'sums is ready' in_tree "$tree" student opgrade task init sums
# A task's folder from the package alone: created, checked, published, handed in, graded.
expect 0 ' as expected' in_tree "$tree" student opgrade task check sums --mutants 0
expect 0 'opgrade check MY_FOLDER --config public' in_tree "$tree" student opgrade task publish sums public --unchecked
expect 0 'then run: opgrade check mine$' in_tree "$tree" student opgrade init mine --task public
expect 1 'wrong output' in_tree "$tree" student opgrade check mine --device emulated
expect 0 'PASSED' in_tree "$tree" student opgrade check sums/solution --config public --device emulated
in_tree "$tree" student opgrade grade mine sums/solution --config sums --out graded --device emulated > "$work/output" 2>&1 ||
  true # one of them is wrong
for line in '^mine,wrong_output,' '^solution,passed,'; do
  grep -qE "$line" "$tree/home/student/graded/grades.csv" ||
    complain "grades.csv lacks $line"$'\n'"$(cat "$work/output" "$tree/home/student/graded/grades.csv")"
done
expect 0 ' as expected' in_tree "$tree" student opgrade task check /usr/share/opgrade/labs/openmp_histogram --mutants 0
expect 0 '^ok +sandbox|^weaker +sandbox' in_tree "$tree" student opgrade doctor
tier=$(tier_of)
release=$(sed -n 's/^CMAKE_PROJECT_VERSION:[A-Z]*=//p' "$build/CMakeCache.txt")
expect 0 "^opgrade $release" in_tree "$tree" student opgrade --version
for file in man/man1/opgrade.1 bash-completion/completions/opgrade doc/opgrade/copyright cmake/opgrade/opgradeConfig.cmake; do
  [[ -s $tree/usr/share/$file ]] || complain "/usr/share/$file is not in the package"
done
# The manual has each verb.
while read -r verb; do
  grep -qE "^\.(B|BI) \"?${verb//-/\\\\-}\b" "$tree/usr/share/man/man1/opgrade.1" || complain "the manual lacks $verb"
done < <(in_tree "$tree" student opgrade --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
in_tree "$tree" root apt-get remove -y opgrade > "$work/apt" 2>&1 || complain "$(cat "$work/apt")"
[[ ! -e $tree/usr/share/opgrade ]] || complain "apt-get remove leaves files"
# shellcheck disable=SC2016
row "$(system_of "$tree")" '`.deb`' "$tier" \
  '`doctor`; the four submissions; what a submission may not see; a task of its own, published; removal'
finish
