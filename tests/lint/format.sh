#!/usr/bin/env bash
# format.sh <project root>
# Holds every C++ and CUDA file to .clang-format. Folders of handed-in code have one of their own that
# switches it off, because verdicts name their lines. Version 14, which is Debian 12's: another one
# would lay out some lines otherwise. Exit code 77, which CTest shows as a skip, without it, unless
# OPGRADE_MUST_RUN names `format`.
set -euo pipefail
cd "${1:?usage: format.sh <project root>}"

formatter=
for candidate in clang-format-14 clang-format; do
  if "$candidate" --version 2>/dev/null | grep -q ' version 14\.'; then
    formatter=$candidate
    break
  fi
done
if [[ -z $formatter ]]; then
  echo "not checked: there is no clang-format 14 here (apt-get install clang-format-14)"
  [[ ,${OPGRADE_MUST_RUN:-}, != *,format,* ]] || exit 1
  exit 77
fi

skipped=()
while IFS= read -r settings; do
  skipped+=(-o -path "$(dirname "$settings")")
done < <(grep -rl --include=.clang-format '^DisableFormat: true' tests)
mapfile -d '' files < <(find grader kernels reference student_template tests \
  \( -false "${skipped[@]}" \) -prune -o -type f \( -name '*.c' \
  -o -name '*.cc' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.h' -o -name '*.hpp' \
  -o -name '*.inc' \) -print0)
complaints=$(printf '%s\0' "${files[@]}" |
  xargs -0 -n 100 "$formatter" --dry-run -Werror 2>&1 || true)
mapfile -t bad < <(sed -nE 's/^([^:]+):[0-9]+:[0-9]+: error: .*/\1/p' <<<"$complaints" | sort -u)
if ((${#bad[@]} > 0)); then
  echo "not laid out as .clang-format says:"
  printf '  %s\n' "${bad[@]}"
  echo "mend them in $PWD: $formatter -i ${bad[*]}"
  exit 1
fi
if [[ -n $complaints ]]; then # of clang-format itself
  echo "$complaints"
  exit 1
fi
echo "format: ${#files[@]} files, no complaint"
