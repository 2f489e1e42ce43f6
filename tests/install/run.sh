#!/usr/bin/env bash
# Installs opgrade to a prefix, hides the source and build folders, and grades a good submission to
# every interface, and a wrong and a crashing one to minidnn-3, with what was installed.
# OPGRADE_LONG_TESTS=1, or cuda: a wrong and a crashing one to every interface.
#   run.sh BUILD SOURCE host|cuda     host: on the CPU and emulated; cuda: on a GPU, with fmnist-28
# Exit code 77: skipped, with the reason.
set -euo pipefail
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd) device=$3
must_run() { [[ ,${OPGRADE_MUST_RUN:-}, == *,$1,* ]]; }
skip() {  # skip FEATURE REASON
  echo "$2"
  if must_run "$1"; then exit 1; fi
  exit 77
}
[[ $device != cuda || -e /dev/nvidiactl ]] || skip gpu "no GPU here"
hide=(bwrap --dev-bind / / --tmpfs "$source")
[[ $build == "$source"/* ]] || hide+=(--tmpfs "$build")
# Otherwise bwrap takes root's capabilities, and in a container the sandbox inside has no other way.
((EUID != 0)) || hide+=(--cap-add ALL)
"${hide[@]}" true || skip sandbox "no namespace to hide the source tree in"

work=$(mktemp -d "${TMPDIR:-/tmp}/opgrade-install-XXXXXX")
trap 'rm -rf "$work"' EXIT
# shellcheck source-path=SCRIPTDIR source=../support/expect.sh
. "$(dirname "$0")/../support/expect.sh"

cmake --install "$build" --prefix "$work/prefix" > "$work/install.log" 2>&1 || {
  cat "$work/install.log"
  exit 1
}

# The build tree's share/opgrade is what the program reads; only what made the models stays behind.
while read -r file; do
  [[ $file == *.py ]] || cmp -s "$build/share/opgrade/$file" "$work/prefix/share/opgrade/$file" ||
    complain "share/opgrade/$file is not installed as it is in the build tree"
done < <(cd "$build/share/opgrade" && find -L . -type f | sed 's|^\./||' | grep -v '^test-data/')
for file in bash-completion/completions/opgrade zsh/site-functions/_opgrade fish/vendor_completions.d/opgrade.fish; do
  [[ -s $work/prefix/share/$file ]] || complain "share/$file is not installed"
done
while read -r file; do
  complain "${file#"$work"/prefix/} holds a path of the machine that built it"
done < <(grep -rlaF -e "$source/" -e "$build/" "$work/prefix")
for program in "$work"/prefix/bin/* "$work"/prefix/libexec/opgrade/*; do
  ! ldd "$program" | grep 'not found' || complain "$program lacks a library"
done

# change FILES EXPRESSION: a submission that cannot be changed so would be graded as a good one.
change() {
  local expression=$1 file
  shift
  for file in "$@"; do
    cp "$file" "$file.good"
    sed -i "$expression" "$file"
    ! cmp -s "$file" "$file.good" || complain "'$expression' changes nothing in $file"
    rm "$file.good"
  done
}
for interface in minidnn-1 minidnn-3 minidnn-3s mxnet; do
  for kind in good wrong crashing; do
    cp -r "$source/reference/solution/$interface" "$work/$interface-$kind"
  done
  cpu=cpu-new-forward.cc gpu=new-forward.cu
  [[ $interface != mxnet ]] || cpu=new-forward.h gpu=new-forward.cuh
  change 's/= weight\[/= -weight[/' "$work/$interface-wrong/$cpu"
  change 's/sum += x\[/sum -= x[/' "$work/$interface-wrong/$gpu"
  change 's/^  const int H_out = /  __builtin_trap();\n&/' "$work/$interface-crashing/$cpu"
  change 's/^  const dim3 grid(/  __builtin_trap();\n&/' "$work/$interface-crashing/$gpu"
  [[ $interface == minidnn-3 || $device == cuda || ${OPGRADE_LONG_TESTS:-} == 1 ]] ||
    rm -r "$work/$interface"-{wrong,crashing}

  {
    echo "opgrade: 1"
    echo "name: install"
    echo "interface: $interface"
    echo "models: {high: {network: fmnist-28, weights: fmnist-28-high}}"
    echo "timing: {repetitions: 1, partial_warmup: false}"
    echo "stages:"
    for stage in $([[ $device == cuda ]] && echo cuda || echo cpu emulated); do
      echo "  - name: $stage"
      echo "    device: $stage"
      echo "    flags: [-O1]"
      echo "    random_shapes: {count: 1, points: 1}"
      # The reference solution's time too, which is built from the installed files.
      [[ $stage == emulated ]] || {
        echo "    cases: [{model: high, batch: 10, points: 1}]"
        echo "    op_times: [{model: high, batch: 10, points: 0, full: 1 x reference, zero: 2 x reference}]"
      }
    done
  } > "$work/$interface.yaml"
done

cat > "$work/inside.sh" <<'INSIDE'
set -euo pipefail
work=$1 source=$2 build=$3 device=$4
cd "$work"
if [[ -e $source/CMakeLists.txt || -e $build/bin/opgrade ]]; then
  echo "FAILED: the source tree is not hidden"
  exit 1
fi
unset OPGRADE_SHARE
opgrade=$work/prefix/bin/opgrade
export OPGRADE_DATA=${OPGRADE_DATA:-$work/data}
[[ -e $OPGRADE_DATA/fmnist-28.h5 ]] || "$opgrade" data --size 28 > data.log
"$opgrade" init template
"$opgrade" check-config minidnn > check-config.log
for interface in minidnn-1 minidnn-3 minidnn-3s mxnet; do
  "$opgrade" grade "$interface"-* --config "$interface.yaml" --out results \
    $([[ $device != cuda ]] || echo --device cuda) > "$interface.log" 2>&1 || [[ $? -eq 1 ]] ||
    cat "$interface.log"
done
# A lecturer's exercise from the beginning, and one that comes with opgrade by its name.
"$opgrade" task init sums > task.log
"$opgrade" task check sums --mutants 0 --device "$([[ $device == cuda ]] && echo cuda || echo emulated)" >> task.log 2>&1 ||
  { cat task.log; exit 1; }
"$opgrade" grade sums/solution --config sums --out task-results --only gpu --device "$([[ $device == cuda ]] && echo cuda || echo emulated)" >> task.log 2>&1 || { cat task.log; exit 1; }
"$opgrade" init mine --term sparse_product >> task.log
"$opgrade" check mine --config sparse_product --only cpu > lab.log 2>&1 || [[ $? -eq 1 ]] || { cat lab.log; exit 1; }
INSIDE
OPGRADE_DATA=${OPGRADE_DATA:-$work/data} "${hide[@]}" --chdir "$work" \
  bash "$work/inside.sh" "$work" "$source" "$build" "$device" || complain "exit code $?"

graded=0
stages=(cpu emulated)
[[ $device != cuda ]] || stages=(cuda)
for interface in minidnn-1 minidnn-3 minidnn-3s mxnet; do
  for verdict in good:passed wrong:"wrong output" crashing:crashed; do
    [[ -d $work/$interface-${verdict%%:*} ]] || continue
    graded=$((graded + 1))
    report=$work/results/$interface-${verdict%%:*}/report.txt
    for stage in "${stages[@]}"; do
      grep -qE "^  $stage/random +${verdict#*:}( |\$)" "$report" ||
        complain "${report#"$work"/}: $stage/random is not '${verdict#*:}'"$'\n'"$(cat "$report" 2>&1)"
    done
  done
done
grep -q ' as expected' "$work/task.log" || complain "task check: $(cat "$work/task.log")"
grep -q 'wrong output' "$work/lab.log" || complain "the template of a lab: $(cat "$work/lab.log")"
((failed == 0)) || exit 1
echo "graded from $work/prefix: $graded submissions, ${#stages[@]} stages each"
