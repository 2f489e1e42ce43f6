#!/bin/sh
# export.sh <number> [<file>]: writes a rung as one self-contained submission, new-forward.cu.
# Rung 1 comes along for shapes that the rung does not accept. Files are pasted once each; what is
# left includes only CUDA, the standard library and the course's gpu-new-forward.h.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
number=$(printf %02d "${1#0}")
set -- "$number" "${2:-/dev/stdout}"
rung=$(ls "$root"/kernels/"$number"_*.cu 2>/dev/null) || {
  echo "export.sh: no rung $number" >&2
  exit 2
}
needs=$(sed -n 's|^// Submission needs: ||p' "$rung")

paste_file() {  # <file relative to the root>
  awk -v root="$root" '
    function paste(name,   line, path) {
      path = root "/" name
      if (seen[name]++) return
      while ((getline line < path) > 0) {
        if (line ~ /^#pragma once/) continue
        # Submissions may be compiled as C++17, which cannot default a comparison.
        if (line ~ /friend constexpr bool operator==/) continue
        if (match(line, /^#include "(kernels|grader|reference)\//)) {
          split(line, part, "\"")
          paste(part[2])
        } else print line
      }
      close(path)
    }
    BEGIN { for (i = 1; i < ARGC; ++i) paste(ARGV[i]) }' "$@"
}

{
  echo "// Rung $number of opgrade's ladder as a submission, by kernels/submission/export.sh."
  files=kernels/01_naive.cu
  for file in $needs; do files="$files kernels/$file"; done
  # shellcheck disable=SC2086
  paste_file $files "kernels/$(basename "$rung")"
  echo "#define OPGRADE_RUNG rung$number"
  cat "$root/kernels/submission/gpu_interface.inc"
} > "$2"
