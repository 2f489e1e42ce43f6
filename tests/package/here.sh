#!/usr/bin/env bash
# The portable bundle that lies in BUILD/package, on this very machine: Ubuntu 24.04 with a GPU, a cluster's node.
#   here.sh BUILD SOURCE
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
bundles=("$cache"/opgrade-*.tar.xz)
[[ -e ${bundles[0]} ]] || skip "no bundle in $cache: packaging/portable.sh, or make test-package"
command -v g++ > /dev/null || skip "no C++ compiler here"
tar -C "$work" -xf "${bundles[0]}"
submissions "$work/in"
cd "$work/in"
unset OPGRADE_SHARE
export OPGRADE_DATA=$work/data
opgrade=$work/opgrade/bin/opgrade
verdicts "$opgrade"
expect 0 '^PASSED' "$opgrade" check good --quiet --device emulated
expect 0 'sandbox' "$opgrade" doctor
tier=$(tier_of)
what_walks_need "$work/source"
walks "$work/opgrade" "$work/source" env
"$opgrade" --version
"$opgrade" doctor
# shellcheck disable=SC2016
row "$(system_of /)" 'bundle, a machine in use' "$tier" \
  '`doctor`; a right, a wrong, a crashing and a racing submission; the tutorial with a hand-in; a lab'
finish
