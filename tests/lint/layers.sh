#!/usr/bin/env bash
# layers.sh <project root>
# Holds the code to the table of modules in grader/README.md. A row names the module's folder, room/module or a room that is
# one module; a file belongs to the module of the nearest folder with a row, and CMake calls the module by its last part:
#   - each folder is a module's, or a room of modules alone;
#   - the rows of a room stand together, so no room depends on one that depends on it;
#   - a module includes only headers of modules in the DEPENDS of its CMakeLists.txt; a program, which
#     has none, only of modules in rows above it;
#   - DEPENDS names only modules in rows above, so there is no cycle;
#   - neither names a module, or one of a room, that its row says it must not know;
#   - the checks of outputs, score and report touch no process, clock or file;
#   - measure has no clock but its target's, and touches no process, thread or file;
#   - outside of a sandbox only process starts processes;
#   - the convolution is known to its task and the commands for its data alone;
#   - a config owns its task: no other code looks one up by its interface, casts one or keeps a table of them;
#   - a task and its problems keep nothing that their const members change: ReferenceAnswers does it for them;
#   - grading/pipeline/stage_context.cpp alone makes what does not change during a stage, so that nothing of it is left out;
#   - a plan of cases starts no process: it knows configs and cases alone;
#   - the map is read in two minutes: at most 335 words.
# Every complaint is one line; exit code 1 when there is any.
set -euo pipefail
root=${1:?usage: layers.sh <project root>}
cd "$root"
complaints=0
complain() {
  echo "$1"
  complaints=$((complaints + 1))
}

declare -A banned path_of=([reference]=reference)
order=()
rooms=" "
while IFS='|' read -r _ name _ unknown _; do
  name=${name//[\` ]/}
  [[ -f grader/$name/CMakeLists.txt ]] || {
    complain "grader/README.md: there is no module '$name'"
    continue
  }
  order+=("$name")
  path_of[${name##*/}]=$name
  room=${name%%/*}
  [[ $rooms != *" $room "* || $rooms == *" $room " ]] ||
    complain "grader/README.md: the rows of the room '$room' do not stand together"
  rooms+="$room "
  banned[$name]=" "
  left=$unknown
  while [[ $left =~ \`([a-z/]+)\` ]]; do
    banned[$name]+="${BASH_REMATCH[1]} "
    left=${left#*"${BASH_REMATCH[0]}"}
  done
  [[ $unknown == *"all others"* ]] && banned[$name]=all
done < <(grep '^| `[a-z/]*` |' grader/README.md)

# The module of a path below grader/, in $module.
module_of() {
  module=${1%/*}
  while [[ -z ${banned[$module]+set} && $module == */* ]]; do module=${module%/*}; done
}

for folder in grader/*/; do
  name=${folder#grader/} name=${name%/}
  [[ $name == cmake || -n ${banned[$name]+set} ]] && continue
  for inside in "$folder"*; do
    inside=${inside#grader/}
    [[ -n ${banned[$inside]+set} ]] ||
      complain "grader/$inside has no row in the table of grader/README.md"
  done
done

words=$(tr -d '|`' <grader/README.md | grep -v '^-*$' | wc -w)
((words <= 335)) || complain "grader/README.md has $words words, allowed 335"

# One search for all modules: a process for each would be half of this script's time.
declare -A includes
while IFS= read -r found; do
  found=${found#grader/}
  module_of "${found%%:*}"
  includes[$module]+=$found$'\n'
done < <(grep -rnoE --include='*.cpp' --include='*.hpp' --include='*.cu' --include='*.cuh' --include='*.inc' \
  '^ *#include "(grader|reference|kernels|tests)/[^"]*"' grader || true)

above=" reference "
for name in "${order[@]}"; do
  knows=$above
  [[ ${banned[$name]} == all ]] && knows=" "
  for other in ${banned[$name]}; do
    [[ $other == all || $rooms == *" $other "* || -n ${banned[$other]+set} ]] ||
      complain "grader/README.md: '$name' must not know '$other', which is neither module nor room"
    knows=${knows// $other / }
    while [[ $knows =~ \ $other/[a-z]+\  ]]; do knows=${knows/"${BASH_REMATCH[0]}"/ }; done
  done

  list=grader/$name/CMakeLists.txt
  permitted=$knows
  IFS= read -rd '' text <"$list" || true
  if [[ $text =~ (^|$'\n')opgrade_module\(${name##*/}[[:space:]]([^\)]*)\) ]]; then
    depends=
    [[ ${BASH_REMATCH[2]} =~ [[:space:]]DEPENDS[[:space:]]+(([a-z]+[[:space:]]*)*) ]] &&
      depends=${BASH_REMATCH[1]//$'\n'/ }
    permitted=" "
    for other in $depends; do
      permitted+="${path_of[$other]-$other} "
      [[ $knows == *" ${path_of[$other]-$other} "* ]] ||
        complain "$list: DEPENDS names '$other', which grader/README.md does not allow to '$name'"
    done
  fi

  while IFS=: read -r file line include; do
    module=${include#*\"}
    if [[ $module == grader/* ]]; then
      module_of "${module#grader/}"
    else
      module=${module%%/*}
    fi
    [[ $module == "$name" || $permitted == *" $module "* ]] ||
      complain "grader/$file:$line: '$name' may not include '$module' (DEPENDS of $list, table in grader/README.md)"
  done < <(printf %s "${includes[$name]-}")
  above+="$name "
done

while IFS=: read -r file line include; do
  complain "$file:$line: $include: checks, score and report touch no process, clock or file"
done < <(grep -rnE --exclude-dir=bundle '#include <(chrono|ctime|cstdio|fcntl\.h|filesystem|fstream|thread|unistd\.h|sys/.*)>' \
  grader/task/*/*_check.?pp grader/grading/score grader/report || true)

while IFS=: read -r file line what; do
  complain "$file:$line: $what: measure has its target's clock only, and no process, thread or file"
done < <(grep -rnoE '(steady|system|high_resolution)_clock|#include <(ctime|cstdio|fcntl\.h|filesystem|fstream|thread|unistd\.h|sys/.*)>' \
  grader/grading/measure || true)

# The harness of a program or a tool and opgrade-cucc run in a sandbox, and a verb becomes another program.
while IFS=: read -r file line what; do
  complain "$file:$line: '$what': outside of a sandbox only grader/platform/process starts processes"
done < <(grep -rnoE --include='*.cpp' --include='*.hpp' --include='*.cu' \
  '\b(v?fork|posix_spawnp?|popen|system|exec[lv][pe]{0,2}|fexecve)\(' grader |
  grep -vE '^grader/(platform/process/|platform/harness/(program_starter|kept_file)\.cpp|emulation/driver/child\.cpp|cli/program_cmd\.cpp)' || true)

# The key "convs" of reports stays: old reports have it.
while IFS=: read -r file line what; do
  complain "$file:$line: '$what': only grader/task/conv knows the convolution"
done < <(grep -rnoE --include='*.cpp' --include='*.hpp' --include='*.cu' \
  '\b(ConvShape|ConvReport)\b|[^"]\bconvs\b|#include "(grader/task/conv/|reference/conv)[^"]*' grader |
  grep -vE '^grader/(task/conv/|cli/data_cmd\.cpp)' || true)

while IFS=: read -r file line what; do
  complain "$file:$line: '$what': a config owns its task; ask task_of() or interface_of() of config/config_task.hpp"
done < <(grep -rnoE --include='*.cpp' --include='*.hpp' \
  'dynamic_cast<[^>]*(Task|Problem)\b|\bfind_interface\(|\bstatic [^;(=]*FolderTask\b' grader |
  grep -vE '^grader/task/config/(registry|config_task)\.' || true)

while IFS=: read -r file line what; do
  complain "$file:$line: '$what': tasks and problems do not change; ReferenceAnswers keeps what was computed"
done < <(grep -rnoE --include='*.cpp' --include='*.hpp' '^ *mutable [^;]*' grader/task/{interface,conv,folder} || true)

while IFS=: read -r file line what; do
  complain "$file:$line: '$what': only grader/grading/pipeline/stage_context.cpp puts a StageContext together"
done < <(grep -rnoE --include='*.cpp' --include='*.hpp' '\b(struct )?StageContext( [a-z_]+)?( =)? ?\{' grader |
  grep -vE '^grader/grading/pipeline/stage_context\.|:struct ' || true)

while IFS=: read -r file line what; do
  complain "$file:$line: $what: a plan is made of the config and its cases, before anything runs"
done < <(grep -nE '#include "grader/' grader/grading/cases/plan/stage_plan.* |
  grep -vE '"grader/(grading/cases/plan/|task/config/|base/core/)' || true)

((complaints == 0)) || exit 1
echo "layers: ${#order[@]} modules, no complaint"
