#!/usr/bin/env bash
# layers.sh <project root>
# Holds the code to the table of modules in grader/README.md:
#   - a module includes only headers of modules in the DEPENDS of its CMakeLists.txt; a program, which
#     has none, only of modules in rows above it;
#   - DEPENDS names only modules in rows above, so there is no cycle;
#   - neither names a module that its row says it must not know;
#   - the checks of outputs, score and report touch no process, clock or file;
#   - measure has no clock but its target's, and touches no process, thread or file;
#   - outside of a sandbox only process starts processes;
#   - the convolution is known to its task and the commands for its data alone;
#   - a config owns its task: no other code looks one up by its interface, casts one or keeps a table of them;
#   - a task and its problems keep nothing that their const members change: ReferenceAnswers does it for them;
#   - app/stage_context.cpp alone makes what does not change during a stage, so that nothing of it is left out;
#   - a plan of cases starts no process: it knows configs and cases alone;
#   - the map is read in three minutes: at most 450 words.
# Every complaint is one line; exit code 1 when there is any.
set -euo pipefail
root=${1:?usage: layers.sh <project root>}
cd "$root"
complaints=0
complain() {
  echo "$1"
  complaints=$((complaints + 1))
}

declare -A banned
order=()
while IFS='|' read -r _ name _ unknown _; do
  name=${name//[\` ]/}
  [[ -d grader/$name ]] || {
    complain "grader/README.md: there is no module '$name'"
    continue
  }
  order+=("$name")
  banned[$name]=" "
  left=$unknown
  while [[ $left =~ \`([a-z]+)\` ]]; do
    banned[$name]+="${BASH_REMATCH[1]} "
    left=${left#*"${BASH_REMATCH[0]}"}
  done
  [[ $unknown == *"all others"* ]] && banned[$name]=all
done < <(grep '^| `[a-z]*` |' grader/README.md)

for folder in grader/*/; do
  name=$(basename "$folder")
  [[ $name == cmake || -n ${banned[$name]+set} ]] ||
    complain "grader/$name/ has no row in the table of grader/README.md"
done

words=$(tr -d '|`' <grader/README.md | grep -v '^-*$' | wc -w)
((words <= 445)) || complain "grader/README.md has $words words, allowed 445"

# One search for all modules: a process for each would be half of this script's time.
declare -A includes
while IFS= read -r found; do
  name=${found#grader/}
  includes[${name%%/*}]+=$found$'\n'
done < <(grep -rnoE --include='*.cpp' --include='*.hpp' --include='*.cu' --include='*.cuh' --include='*.inc' \
  '^ *#include "(grader|reference|kernels|tests)/[^"]*"' grader || true)

above=" reference "
for name in "${order[@]}"; do
  knows=$above
  [[ ${banned[$name]} == all ]] && knows=" "
  for other in ${banned[$name]}; do
    [[ $other == all || -d grader/$other ]] ||
      complain "grader/README.md: '$name' must not know '$other', which is no module"
    knows=${knows/ $other / }
  done

  list=grader/$name/CMakeLists.txt
  permitted=$knows
  IFS= read -rd '' text <"$list" || true
  if [[ $text =~ (^|$'\n')opgrade_module\($name[[:space:]]([^\)]*)\) ]]; then
    depends=
    [[ ${BASH_REMATCH[2]} =~ [[:space:]]DEPENDS[[:space:]]+(([a-z]+[[:space:]]*)*) ]] &&
      depends=${BASH_REMATCH[1]//$'\n'/ }
    permitted=" $depends "
    for other in $depends; do
      [[ $knows == *" $other "* ]] ||
        complain "$list: DEPENDS names '$other', which grader/README.md does not allow to '$name'"
    done
  fi

  while IFS=: read -r file line include; do
    other=${include#*\"}
    other=${other#grader/}
    other=${other%%/*}
    [[ $other == "$name" || $permitted == *" $other "* ]] ||
      complain "$file:$line: '$name' may not include '$other' (DEPENDS of $list, table in grader/README.md)"
  done < <(printf %s "${includes[$name]-}")
  above+="$name "
done

while IFS=: read -r file line include; do
  complain "$file:$line: $include: checks, score and report touch no process, clock or file"
done < <(grep -rnE '#include <(chrono|ctime|cstdio|fcntl\.h|filesystem|fstream|thread|unistd\.h|sys/.*)>' \
  grader/tasks/*/*_check.?pp grader/score grader/report || true)

while IFS=: read -r file line what; do
  complain "$file:$line: $what: measure has its target's clock only, and no process, thread or file"
done < <(grep -rnoE '(steady|system|high_resolution)_clock|#include <(ctime|cstdio|fcntl\.h|filesystem|fstream|thread|unistd\.h|sys/.*)>' \
  grader/measure || true)

# The harness of a program or a tool and opgrade-cucc run in a sandbox, and a verb becomes another program.
while IFS=: read -r file line what; do
  complain "$file:$line: '$what': outside of a sandbox only grader/process starts processes"
done < <(grep -rnoE --include='*.cpp' --include='*.hpp' --include='*.cu' \
  '\b(v?fork|posix_spawnp?|popen|system|exec[lv][pe]{0,2}|fexecve)\(' grader |
  grep -vE '^grader/(process/|harness/(program_starter|kept_file)\.cpp|emulation/driver/child\.cpp|cli/program_cmd\.cpp)' || true)

# The key "convs" of reports stays: old reports have it.
while IFS=: read -r file line what; do
  complain "$file:$line: '$what': only grader/tasks knows the convolution"
done < <(grep -rnoE --include='*.cpp' --include='*.hpp' --include='*.cu' \
  '\b(ConvShape|ConvReport)\b|[^"]\bconvs\b|#include "(grader/tasks/conv/|reference/conv)[^"]*' grader |
  grep -vE '^grader/(tasks|cli/data_cmd\.cpp)' || true)

while IFS=: read -r file line what; do
  complain "$file:$line: '$what': a config owns its task; ask task_of() or interface_of() of config/config_task.hpp"
done < <(grep -rnoE --include='*.cpp' --include='*.hpp' \
  'dynamic_cast<[^>]*(Task|Problem)\b|\bfind_interface\(|\bstatic [^;(=]*FolderTask\b' grader |
  grep -vE '^grader/(tasks/registry|config/config_task)\.' || true)

while IFS=: read -r file line what; do
  complain "$file:$line: '$what': tasks and problems do not change; ReferenceAnswers keeps what was computed"
done < <(grep -rnoE --include='*.cpp' --include='*.hpp' '^ *mutable [^;]*' grader/task grader/tasks || true)

while IFS=: read -r file line what; do
  complain "$file:$line: '$what': only grader/app/stage_context.cpp puts a StageContext together"
done < <(grep -rnoE --include='*.cpp' --include='*.hpp' '\b(struct )?StageContext( [a-z_]+)?( =)? ?\{' grader |
  grep -vE '^grader/app/stage_context\.|:struct ' || true)

while IFS=: read -r file line what; do
  complain "$file:$line: $what: a plan is made of the config and its cases, before anything runs"
done < <(grep -nE '#include "grader/' grader/cases/plan/stage_plan.* |
  grep -vE '"grader/(cases/plan/|config/|core/)' || true)

((complaints == 0)) || exit 1
echo "layers: ${#order[@]} modules, no complaint"
