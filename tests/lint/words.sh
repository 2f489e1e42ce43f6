#!/usr/bin/env bash
# words.sh <project root>
# Decisions rest on values, and grader/report alone makes sentences of them: no other code searches or cuts the texts of
# a Grade, or those that become its texts. `left` has the places that still do, with their number; it only shrinks.
set -euo pipefail
cd "${1:?usage: words.sh <project root>}"
declare -A left=(
  [grader/app/device_control.cpp]=1  # how a case ended
  [grader/cases/judged_case.cpp]=1   # the full stop of a finding's sentence
  [grader/cases/memory_watch.cpp]=1  # bad_alloc, out of memory
  [grader/intake/intake.cpp]=1       # a reason without its path
  [grader/intake/stage_files.cpp]=1  # equal refusals of two stages
)
texts='(reason|hint|limit_hit|notes?|student_output|compiler_output|repeat_command)'
searches='(find|rfind|find_first_of|find_last_of|starts_with|ends_with|contains|compare|substr|erase|replace)'
complaints=0
declare -A found=()
while IFS= read -r place; do
  file=${place%%:*}
  found[$file]+=$place$'\n'
done < <(grep -rnE --include='*.cpp' --include='*.hpp' "\\b$texts(\\(\\))?\\.$searches\\(" grader | grep -v '^grader/report/' || true)
for file in "${!found[@]}" "${!left[@]}"; do
  count=$(grep -c . <<<"${found[$file]-}" || true)
  ((count == ${left[$file]-0})) && continue
  complaints=$((complaints + 1))
  if ((count < ${left[$file]-0})); then
    echo "$file: $count places search a text, tests/lint/words.sh allows ${left[$file]}: lower the number"
  else
    echo "$file: $count places search a text of a grade, allowed ${left[$file]-0}; decide by a value instead:"
    printf %s "${found[$file]}"
  fi
done
((complaints == 0)) || exit 1
echo "words: no text decides, except in ${#left[@]} files"
