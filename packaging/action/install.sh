#!/usr/bin/env bash
# Unpacks a portable bundle on a CI machine, after its checksum, and installs what the bundle needs if it is missing.
# Used by action.yml beside it, by packaging/gitlab and by packaging/classroom50.
#   OPGRADE_PACKAGE     address or file; default: the release of the repository OPGRADE_REPOSITORY that has this version
#   OPGRADE_SHA256      the bundle's checksum, or empty
#   OPGRADE_TO          the folder to unpack in; default: RUNNER_TEMP
# GITHUB_PATH, if set, gets the folder of the programs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() {
  printf 'error: %s\n' "$1" "$2" >&2
  exit 2
}

to=${OPGRADE_TO:-${RUNNER_TEMP:?}} package=${OPGRADE_PACKAGE:-} sha256=${OPGRADE_SHA256:-}
if [[ -z $package ]]; then
  version=$(sed -n 's/^project(opgrade VERSION \([0-9.]*\) .*/\1/p' "$here/../../CMakeLists.txt" 2> /dev/null || true)
  [[ -n $version && -n ${OPGRADE_REPOSITORY:-} ]] ||
    fail "no bundle is named, and this copy of the action belongs to no release" \
      "give the input package the address of opgrade-VERSION-linux-MACHINE.tar.xz"
  package=${GITHUB_SERVER_URL:-https://github.com}/$OPGRADE_REPOSITORY/releases/download/v$version/opgrade-$version-linux-$(uname -m).tar.xz
fi

need=()
for one in g++:g++ bwrap:bubblewrap xz:xz-utils; do
  command -v "${one%:*}" > /dev/null || need+=("${one#*:}")
done
if ((${#need[@]})); then
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${need[@]}"
fi

archive=$(mktemp "$to/opgrade-XXXXXX.tar.xz")
trap 'rm -f "$archive"' EXIT
case $package in
  https://*) curl -fsSL --proto =https --retry 3 -o "$archive" -- "$package" ||
    fail "cannot fetch $package" "check that the release has this file and that no login is needed" ;;
  *://*) fail "$package is no address that is read" "give an https address, or a file" ;;
  *) cp -- "$package" "$archive" || fail "there is no bundle $package" "give an https address, or a file" ;;
esac
if [[ -n $sha256 ]]; then
  got=$(sha256sum < "$archive")
  [[ ${got%% *} == "${sha256,,}" ]] ||
    fail "the bundle $package has the SHA-256 ${got%% *}, not ${sha256,,}" "name the checksum of this release"
fi
tar -xJf "$archive" -C "$to"
[[ -x $to/opgrade/bin/opgrade ]] ||
  fail "$package has no opgrade/bin/opgrade" "give the portable bundle that packaging/portable.sh wrote"
[[ -z ${GITHUB_PATH:-} ]] || echo "$to/opgrade/bin" >> "$GITHUB_PATH"
