# shellcheck shell=bash
# Sourced by the scripts beside it, SCRIPT BUILD SOURCE [bullseye|trixie|noble|jammy]: clean trees of Debian 11 to 13, Ubuntu 24.04 or 22.04,
# and a good, a wrong, a crashing and a racing submission.
# Exit code 77: skipped, with the reason; OPGRADE_MUST_RUN=package turns that into a failure.
set -euo pipefail
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
suite=${3:-bookworm}
cache=$build/package
archives=$cache/archives-$suite
mkdir -p "$archives/partial"

must_run() { [[ ,${OPGRADE_MUST_RUN:-}, == *,package,* ]]; }
skip() {
  echo "$1"
  ! must_run || exit 1
  exit 77
}
# Minutes, and a Debian mirror.
long_test() { must_run || skip "only with OPGRADE_MUST_RUN=package: make test-package"; }
need() {  # need PROGRAM PACKAGE
  command -v "$1" > /dev/null || skip "no $1 here: apt-get install $2"
}

work=$(mktemp -d "${TMPDIR:-/var/tmp}/opgrade-package-XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
# shellcheck source-path=SCRIPTDIR source=../support/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/expect.sh"
# lap WHAT: the time since the last lap, and what processors worked meanwhile: on a busy machine that alone tells.
start_lap() {
  began=$SECONDS
  times > "$work/times"
  worked=$(awk 'NR == 2 { gsub(/[ms]/, " "); printf "%d", 60 * ($1 + $3) + $2 + $4 }' "$work/times")
}
lap() {
  local before=$began worked_before=$worked
  start_lap
  echo "$1: $((began - before)) s, of processors $((worked - worked_before)) s"
}
start_lap

# The packages that every system of the suite has, made once.
clean_tar() {
  local sources=() include=()
  need mmdebstrap mmdebstrap
  ((EUID == 0)) || skip "a clean tree needs root"
  if [[ $suite == noble || $suite == jammy ]]; then
    # Debian 12 has no key of Ubuntu's: without a keyring the mirror's TLS certificate is what is trusted.
    mirror=${OPGRADE_UBUNTU_MIRROR:-}
    [[ -n $mirror ]] || {
      echo "OPGRADE_UBUNTU_MIRROR names no mirror of Ubuntu, such as https://HOST/ubuntu"
      exit 77
    }
    trust=${OPGRADE_UBUNTU_KEYRING:+signed-by=$OPGRADE_UBUNTU_KEYRING}
    include=("--include=apt,ca-certificates")
    for part in "$suite" "$suite-updates"; do sources+=("deb [${trust:-trusted=yes}] $mirror $part main universe"); done
  else
    # The machine's own mirror, where nobody names another.
    # shellcheck disable=SC2016
    mirror=${OPGRADE_DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 2> /dev/null | sort | uniq -c |
      sort -rn | awk 'NR == 1 {print $2}' || true)}
    sources=("$mirror")
  fi
  clean=$cache/$suite.tar
  [[ ! -e $clean ]] || return 0
  mmdebstrap --quiet --format=tar --variant=minbase "${include[@]}" "$suite" "$clean.part" "${sources[@]}" \
    > "$cache/clean.log" 2>&1 || skip "no clean tree of $suite from $mirror: $(tail -n 1 "$cache/clean.log")"
  mv "$clean.part" "$clean"
}
# clean_tree FOLDER: with a user `student`, and the name servers and certificates of this machine.
clean_tree() {
  clean_tar
  mkdir "$1"
  tar -C "$1" -xf "$clean"
  cp /etc/resolv.conf "$1/etc/resolv.conf"
  mkdir -p "$1/etc/ssl/certs"
  [[ ! -e /etc/ssl/certs/ca-certificates.crt ]] || cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
  mkdir -p "$1/home/student"
  echo 'student:x:1000:1000::/home/student:/bin/bash' >> "$1/etc/passwd"
  echo 'student:x:1000:' >> "$1/etc/group"
  chown 1000:1000 "$1/home/student"
}
# in_tree FOLDER USER COMMAND...: in user's home, with mounts that end with the command.
in_tree() {
  local tree=$1 user=$2
  shift 2
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child bash -c '
    set -e
    tree=$1 user=$2 archives=$3
    shift 3
    mount -t proc proc "$tree/proc"
    mount --rbind /sys "$tree/sys"
    mount --rbind /dev "$tree/dev"
    mount --bind "$archives" "$tree/var/cache/apt/archives"
    home=/home/student
    [[ $user != root ]] || home=/root
    # Not chroot alone: a process in a chroot may make no user namespace, and the sandbox would be weaker than a student has it.
    mount --rbind "$tree" "$tree"
    cd "$tree"
    pivot_root . .
    umount -l .
    cd /
    exec chroot --userspec="$user" / env -i HOME="$home" \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      DEBIAN_FRONTEND=noninteractive sh -c "cd \"\$HOME\" && exec \"\$@\"" sh "$@"
  ' bash "$tree" "$user" "$archives" "$@"
}
apt_in() {  # apt_in FOLDER PACKAGE...: installs, or skips where the mirror does not answer
  local tree=$1
  shift
  in_tree "$tree" root apt-get update > "$work/apt" 2>&1 || skip "apt-get update: $(tail -n 1 "$work/apt")"
  in_tree "$tree" root apt-get install -y "$@" > "$work/apt" 2>&1 || {
    complain "apt-get install $*"$'\n'"$(tail -n 20 "$work/apt")"
    finish
  }
}

# row SYSTEM WAY TIER WHAT: a row of the table in docs/install.md, if all went well; see table.sh.
row() {
  ((failed == 0)) || return 0
  mkdir -p "$cache/rows"
  printf '| %s | %s | %s | %s |\n' "$@" > "$cache/rows/$(basename "$0" .sh)-$suite"
}
system_of() { # system_of FOLDER: "Debian 12"
  # shellcheck disable=SC1091
  (. "$1/etc/os-release" && echo "${ID^} $VERSION_ID")
}
tier_of() { # of the output of `opgrade doctor` in $work/output
  sed -n "s/.* sandbox .*tier '\([^']*\)'.*/\1/p" "$work/output" | head -n 1
}

# submissions FOLDER: good, wrong, crashing and racing, of the interface minidnn-3.
submissions() {
  local kind
  for kind in good wrong crashing racing; do
    mkdir -p "$1/$kind"
    cp "$source"/reference/solution/minidnn-3/* "$1/$kind/"
  done
  sed -i 's/sum += x\[/sum -= x[/' "$1/wrong/new-forward.cu"
  sed -i 's/^  const dim3 grid(/  __builtin_trap();\n&/' "$1/crashing/new-forward.cu"
  sed -i 's/^  float sum = 0;/  __shared__ int racing;\n  racing = threadIdx.x;\n  float sum = racing < 0 ? 1.0f : 0;/' \
    "$1/racing/new-forward.cu"
  race=$(grep -n 'racing = ' "$1/racing/new-forward.cu" | cut -d: -f1)
  [[ -n $race ]] || complain "the racing submission is the good one"
  ! cmp -s "$1/good/new-forward.cu" "$1/wrong/new-forward.cu" || complain "the wrong submission is the good one"
  ! cmp -s "$1/good/new-forward.cu" "$1/crashing/new-forward.cu" || complain "the crashing submission is the good one"
}
# verdicts PREFIX...: with `opgrade check` run by the command, in the folder of submissions.
verdicts() {
  expect 0 '^PASSED' "$@" check good
  lap "first verdict"
  expect 1 'wrong output' "$@" check wrong --quiet
  expect 1 'crashed' "$@" check crashing --quiet
  expect 1 "new-forward.cu:$race: data_race" "$@" check racing --quiet
}
# what_walks_need FOLDER: what walks() reads of the source tree.
what_walks_need() {
  mkdir -p "$1"
  tar -C "$source" -c docs/tutorial.md tests/integration/tutorial_walk.py reference/solution/minidnn-1 | tar -C "$1" -x
}
# walks OPGRADE SOURCE PREFIX...: the tutorial, whose end is a hand-in to a served course, and a lab; with the opgrade that is
# unpacked in the first folder, by the command. Needs python3 there.
walks() {
  local opgrade=$1 from=$2
  shift 2
  expect 0 'blocks, 0 failures' "$@" python3 "$from/tests/integration/tutorial_walk.py" "$opgrade" "$from"
  lap "the tutorial"
  expect 0 'is ready' "$@" "$opgrade/bin/opgrade" init lab --task reduction
  expect 1 '^FAILED' "$@" "$opgrade/bin/opgrade" check lab --quiet
  "$@" sh -c "cp $opgrade/share/opgrade/labs/ece408/reduction/solution/* lab/"
  expect 0 '^PASSED' "$@" "$opgrade/bin/opgrade" check lab --quiet
  lap "a lab"
}
