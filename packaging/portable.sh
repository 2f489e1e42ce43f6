#!/usr/bin/env bash
# Packs a built opgrade for machines without root: program, its libraries, bubblewrap, models and
# images in one archive, which runs from any folder. The machine needs glibc 2.34 and libstdc++ of g++ 12 or newer, such as
# Ubuntu 22.04 or Debian 12, and a C++ compiler.
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

# The C and C++ runtime is the machine's: submissions are compiled for it.
machine='/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s)\.so[^/]*)$'
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

# The build machine's libraries may call functions of a newer glibc than the bundle promises to need.
oldest=2.34
here=$(cd "$(dirname "$0")" && pwd)
cc -O2 -shared -fPIC -o "$work/libopgrade-arc4random.so" "$here/arc4random.c"
while read -r file; do
  newer=$("$here/older_glibc.py" $oldest "$file")
  [[ -n $newer ]] || continue
  for name in $newer; do
    nm -D --defined-only "$work/libopgrade-arc4random.so" | grep -q " $name\$" || {
      echo "error: $file calls $name, which glibc $oldest lacks; add it to packaging/arc4random.c, or raise 'oldest' here" >&2
      exit 1
    }
  done
  patchelf --add-needed libopgrade-arc4random.so "$file"
  for folder in bundled emulation; do cp "$work/libopgrade-arc4random.so" "$prefix/lib/opgrade/$folder/"; done
done < <(find "$prefix" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' sh {} \; -print)

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
