#!/usr/bin/env bash
# Packs a built opgrade for machines without root: program, its libraries, bubblewrap, models and
# images in one archive, which runs from any folder. The machine needs glibc 2.28, and a C++ compiler: g++ 11 or Clang 11, or
# newer, with the libstdc++ of g++ 9.
#   packaging/portable.sh BUILD [FILE.tar.xz]     default: opgrade-VERSION-linux-MACHINE.tar.xz
set -euo pipefail
build=$(cd "$1" && pwd)
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:[A-Z]*=//p' "$build/CMakeCache.txt")
out=$(realpath -m "${2:-opgrade-$version-linux-$(uname -m).tar.xz}")
images=${OPGRADE_IMAGES:-/usr/share/datasets/fashion-mnist}
for tool in patchelf xz bwrap cc python3; do
  command -v $tool > /dev/null || { echo "error: $tool is missing; apt-get install patchelf xz-utils bubblewrap gcc python3" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/opgrade
cmake --install "$build" --prefix "$prefix" --component opgrade --strip > "$work/install.log" || { cat "$work/install.log"; exit 1; }
cp "$(command -v bwrap)" "$prefix/libexec/opgrade/bwrap"
mkdir -p "$prefix/share/opgrade/images"
cp "$images"/t10k-*.gz "$prefix/share/opgrade/images/"

# The C runtime is the machine's, and in the process of a submission, which is compiled for the machine, that of C++ too.
machine='/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|util|gcc_s)\.so[^/]*)$'
bundle() {  # bundle FOLDER PROGRAM...: the programs' libraries in the folder, named relative to each
  local folder=$1 program
  shift
  mkdir -p "$folder"
  for program; do
    ldd "$program" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | { grep -vE "$machine" || true; } > "$work/needed"
    xargs -r -a "$work/needed" cp -nL -t "$folder"
    cat "$work/needed" >> "$work/bundled"
    # DT_RPATH, not DT_RUNPATH: it holds for the libraries' own libraries, too.
    patchelf --force-rpath --set-rpath "\$ORIGIN/$(realpath --relative-to "$(dirname "$program")" "$folder")" "$program"
  done
}
bundle "$prefix/lib/opgrade/bundled" "$prefix/bin/opgrade" "$prefix/bin/opgrade-course" "$prefix/libexec/opgrade/bwrap"
# Beside the emulated device's runtime: opgrade moves both together.
front_end=$prefix/lib/opgrade/emulation/cuda-front-end
bundle "$prefix/lib/opgrade/emulation" "$prefix/bin/opgrade-cucc" $([[ ! -e $front_end ]] || echo "$front_end")

# The build machine's programs and libraries call functions of a newer glibc than the bundle promises to need.
oldest=2.28
here=$(cd "$(dirname "$0")" && pwd)
# They became part of libc.so.6 in 2.34.
moved=(libpthread.so.0 libdl.so.2 librt.so.1)
older=libopgrade-older-glibc.so
# With a version of its own, so that what it asks of glibc itself is not found in it.
echo 'OPGRADE { *; };' > "$work/version"
cc -O2 -shared -fPIC -Wl,-soname,$older -Wl,--version-script="$work/version" -o "$work/$older" "$here/older_glibc.c" "$here/older_start.c" \
  -Wl,--no-as-needed $(printf -- '-l:%s ' "${moved[@]}" libresolv.so.2 libm.so.6)
nm -D --defined-only "$work/$older" | awk '{sub(/@.*/, "", $NF); print $NF}' > "$work/provided"
# What glibc has here in a version that is old enough, in whichever of its libraries.
ldd "$work/$older" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | xargs nm -D --defined-only | awk '{print $NF}' |
  awk -F'@+GLIBC_' -v oldest=$oldest 'NF == 2 {
    split($2, has, "."); split(oldest, may, ".")
    if (has[1] < may[1] || has[1] == may[1] && has[2] <= may[2]) print $1 }' >> "$work/provided"
while read -r file; do
  newer=$("$here/older_glibc.py" $oldest "$file")
  [[ -n $newer ]] || continue
  for name in $newer; do
    grep -qx "$name" "$work/provided" || {
      echo "error: $file calls $name, which glibc $oldest lacks; add it to packaging/older_glibc.c, or raise 'oldest' here" >&2
      exit 1
    }
  done
  case $file in
    */libexec/opgrade/bwrap | */bin/* | */bundled/* | */emulation/*) patchelf --add-needed $older "$file" ;;
    # A sandbox shows these alone.
    *) for name in "${moved[@]}"; do patchelf --add-needed "$name" "$file"; done ;;
  esac
done < <(find "$prefix" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' sh {} \; -print)
for folder in bundled emulation; do cp "$work/$older" "$prefix/lib/opgrade/$folder/"; done

# By another name: opgrade looks for the machine's libstdc++ to show it to submissions.
for folder in bundled emulation; do
  [[ -e $prefix/lib/opgrade/$folder/libstdc++.so.6 ]] || continue
  mv "$prefix/lib/opgrade/$folder/libstdc++.so.6" "$prefix/lib/opgrade/$folder/libopgrade-stdc++.so.6"
  patchelf --set-soname libopgrade-stdc++.so.6 "$prefix/lib/opgrade/$folder/libopgrade-stdc++.so.6"
done
for file in "$prefix/bin/"* "$prefix/lib/opgrade/"{bundled,emulation}/*.so* "$front_end"; do
  ! patchelf --print-needed "$file" 2> /dev/null | grep -qx 'libstdc++.so.6' ||
    patchelf --replace-needed libstdc++.so.6 libopgrade-stdc++.so.6 "$file"
done

# The licences of the parts.
mkdir -p "$prefix/share/doc/opgrade/licences"
while read -r package; do
  cp -L "/usr/share/doc/$package/copyright" "$prefix/share/doc/opgrade/licences/$package"
done < <({ cat "$work/bundled"; command -v bwrap; ls /usr/lib/llvm-1[49]/lib/libclangSema.a /usr/lib/*/libcmark-gfm.a 2> /dev/null || true; echo "$images/t10k-images-idx3-ubyte.gz"; } | sort -u |
  while read -r file; do dpkg -S "$file" "/usr$file" "$(realpath "$file")" 2> /dev/null | head -n 1; done |
  sed 's/:.*//' | sort -u)

tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -c opgrade | xz -T0 -6 > "$out.part"
mv "$out.part" "$out"
echo "$out: $(($(stat -c %s "$out") / 1000000)) MB"
