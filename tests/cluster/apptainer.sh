#!/usr/bin/env bash
# Apptainer's conditions without Apptainer: a read-only root, the caller's own id, no set-user-ID programs, writable
# home and /tmp alone. Once where users may make namespaces, once where they may not, and once with a /proc of its own
# with masked parts, as containers have it.
#   apptainer.sh BUILD SOURCE
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
mkdir "$work/home"
for kind in good wrong_constant; do cp -r "$source/tests/corpus/submissions/$kind" "$work/home/"; done
cp "$source/tests/configs/cli.yaml" "$work/home/"
id=$(id -u)
((id != 0)) || id=1000
chmod 755 "$work"

# bubblewrap mounts as Apptainer without set-user-ID does, and sets no_new_privs, too.
inside() {  # inside FLAG... -- COMMAND...
  local flags=()
  while [[ $1 != -- ]]; do
    flags+=("$1")
    shift
  done
  shift
  bwrap --unshare-user --uid "$id" --gid "$id" --ro-bind / / --dev-bind /proc /proc --dev /dev --tmpfs /tmp --tmpfs /home \
    --dir /home/student --bind "$work/home" /home/student --setenv HOME /home/student --unsetenv TMPDIR \
    --chdir /home/student "${flags[@]}" -- "$@"
}
inside -- true 2> "$work/why" || {
  echo "no namespaces here: $(cat "$work/why")"
  [[ ,${OPGRADE_MUST_RUN:-}, != *,sandbox,* ]] || exit 1
  exit 77
}
expect 1 'Read-only file system' inside -- touch /usr/written
expect 0 "^$id$" inside -- id -u

# grades NAME TIER FLAG...
grades() {
  local name=$1 tier=$2
  shift 2
  expect 0 "sandbox +tier '($tier)'" inside "$@" -- "$opgrade" doctor
  grep -A1 "sandbox .*tier" "$work/output" | grep -q -- '->' || complain "$name: doctor does not say what is weaker"
  ! grep -q MISSING "$work/output" || complain "$name: $(cat "$work/output")"
  # A note has the tier, and the submission is graded.
  expect 0 '^PASSED' inside "$@" -- "$opgrade" check good --config cli.yaml
  [[ $(grep -cE "^ +- sandbox tier '($tier)'" "$work/output") == 1 ]] ||
    complain "$name: not one note has the tier"$'\n'"$(cat "$work/output")"
  expect 1 '^FAILED' inside "$@" -- "$opgrade" check wrong_constant --config cli.yaml
  expect 1 'wrong output' inside "$@" -- "$opgrade" grade good wrong_constant --config cli.yaml --out "results-$name"
}
grades namespaces 'full|no cgroup'
grades forbidden 'no user namespaces' --disable-userns
grades container 'no user namespaces' --proc /proc
finish
