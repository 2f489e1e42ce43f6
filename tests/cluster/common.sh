# shellcheck shell=bash
# Sourced by the scripts beside it, SCRIPT BUILD SOURCE. Exit code 77: skipped, with the reason.
set -euo pipefail
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
opgrade=$build/bin/opgrade
export OPGRADE_DATA=$build/data
work=$(mktemp -d "${TMPDIR:-/tmp}/opgrade-cluster-XXXXXX")
trap 'rm -rf "$work"' EXIT
# shellcheck source-path=SCRIPTDIR source=../support/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/expect.sh"
