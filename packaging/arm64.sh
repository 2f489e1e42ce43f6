#!/usr/bin/env bash
# Builds opgrade for ARM64 Linux on another machine, and packs the portable bundle: as root on Debian 12.
#   packaging/arm64.sh BUILD [TARGET...]         default: opgrade-installed, and the bundle in BUILD/package
#   packaging/arm64.sh --run BUILD COMMAND...    runs a command in that Debian, which has sources and build by their paths
# The cross compiler builds against a Debian of ARM64 in BUILD/root, which has what tools/install-packages.sh lists. What
# has to run there, runs under qemu-user: packing takes some minutes.
# OPGRADE_ARM64_ROOT    a folder that has that Debian already
# OPGRADE_DEBIAN_MIRROR  where its packages come from
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
run=no
((EUID == 0)) || { echo "error: a Debian of ARM64 is made and entered as root" >&2; exit 1; }
[[ $1 != --run ]] || { run=yes && shift; }
mkdir -p "$1"
build=$(cd "$1" && pwd)
shift
root=${OPGRADE_ARM64_ROOT:-$build/root}
fail() {
  printf 'error: %s\n' "$@" >&2
  exit 1
}
# in_root COMMAND...: in the Debian of ARM64, with mounts that end with the command.
in_root() {
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child bash -c '
    set -e
    root=$1 source=$2 build=$3
    shift 3
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    for folder in "$source" "$build"; do
      mkdir -p "$root$folder"
      mount --bind "$folder" "$root$folder"
    done
    exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
  ' bash "$root" "$source" "$build" "$@"
}

if [[ $run == yes ]]; then
  [[ -e $root/usr/bin/g++ ]] || fail "there is no Debian of ARM64 in $root" "packaging/arm64.sh $build makes it"
  in_root "$@"
  exit
fi
missing=()
for one in mmdebstrap:mmdebstrap arch-test:arch-test update-binfmts:binfmt-support qemu-aarch64-static:qemu-user-static \
  aarch64-linux-gnu-g++:g++-aarch64-linux-gnu cmake:cmake ninja:ninja-build; do
  command -v "${one%:*}" > /dev/null || missing+=("${one#*:}")
done
((${#missing[@]} == 0)) || fail "missing; apt-get install ${missing[*]}"
arch-test arm64 > /dev/null ||
  fail "this kernel does not start programs of ARM64" "mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc && update-binfmts --enable qemu-aarch64"

if [[ ! -e $root/usr/bin/g++ ]]; then
  # Without what tests on the build machine alone.
  packages=$("$source/tools/install-packages.sh" --list | grep -vE '^(munge|slurm.*|clang-format.*|git|python3-.*)$' | paste -sd,)
  echo "making a Debian of ARM64 in $root"
  rm -rf --one-file-system "$root.part"  # of a run that was ended
  # This machine's dpkg-deb unpacks the packages: under qemu-user that takes most of the time.
  # shellcheck disable=SC2016
  native='set -e; mkdir "$1/native"; own=$(command -v dpkg-deb)
    cp -L "$own" $(ldd "$own" | grep -oE "/[^ ]+") "$1/native/"; mv "$1/usr/bin/dpkg-deb" "$1/native/dpkg-deb.arm64"
    { echo "#!/bin/sh"; echo "exec /native/ld-linux-x86-64.so.2 --library-path /native /native/dpkg-deb \"\$@\""; } > "$1/usr/bin/dpkg-deb"
    chmod 755 "$1/usr/bin/dpkg-deb"'
  # shellcheck disable=SC2016
  mmdebstrap --quiet --architectures=arm64 --variant=minbase --include="$packages,patchelf,python3-minimal,xz-utils" \
    --essential-hook="$native" --customize-hook='mv "$1/native/dpkg-deb.arm64" "$1/usr/bin/dpkg-deb" && rm -r "$1/native"' \
    bookworm "$root.part" ${OPGRADE_DEBIAN_MIRROR:+"$OPGRADE_DEBIAN_MIRROR"} > "$build/root.log" 2>&1 || { tail -n 5 "$build/root.log" >&2; fail "see $build/root.log"; }
  mv "$root.part" "$root"
fi
cmake -G Ninja -S "$source" -B "$build" --toolchain "$source/packaging/cmake/aarch64.cmake" -DOPGRADE_ARM64_ROOT="$root" \
  -DOPGRADE_CUDA=OFF -DOPGRADE_SANITIZED=none -DCMAKE_UNITY_BUILD=ON > "$build/configure.log" 2>&1 || {
  tail -n 20 "$build/configure.log" >&2
  fail "see $build/configure.log"
}
targets=("$@")
((${#targets[@]})) || targets=(opgrade-installed)
cmake --build "$build" -j "${JOBS:-$(nproc)}" --target "${targets[@]}" -- --quiet
(($# == 0)) || exit 0

mkdir -p "$build/package"
in_root sh -c "cd '$build/package' && exec '$source/packaging/portable.sh' '$build'"
