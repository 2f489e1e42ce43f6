#!/usr/bin/env bash
# layers_test.sh <project root>: layers.sh accepts the tree and sees each of nineteen planted mistakes.
set -euo pipefail
root=$(realpath "${1:?usage: layers_test.sh <project root>}")
layers=$root/tests/lint/layers.sh
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
"$layers" "$root"

failures=0
# planted <what> <expected complaint> <file> <sed expression>
planted() {
  rm -rf "$copy/grader"
  cp -r "$root/grader" "$copy/grader"
  sed -i "$4" "$copy/$3"
  local said
  if said=$("$layers" "$copy") || ! grep -q "$2" <<<"$said"; then
    echo "not seen: $1; layers.sh said: $said"
    failures=$((failures + 1))
  fi
}
planted 'an include against the direction' "grader/score/score.cpp:1: 'score' may not include 'report'" \
  grader/score/score.cpp '1i #include "grader/report/text.hpp"'
planted 'the reference in the report' "'report' may not include 'reference'" \
  grader/report/text.hpp '1i #include "reference/conv_direct.hpp"'
planted 'a dependency on a row below' "DEPENDS names 'sandbox'" \
  grader/task/CMakeLists.txt 's/DEPENDS core/DEPENDS sandbox core/'
planted 'a dependency on a module that must not be known' "DEPENDS names 'run'" \
  grader/report/CMakeLists.txt 's/DEPENDS core/DEPENDS run core/'
planted 'a ban that the code breaks' "'run' may not include 'sandbox'\|DEPENDS names 'sandbox'" \
  grader/README.md '/^| `run` /s/`config`/`sandbox`/'
planted 'a module without a row' "grader/score/ has no row" grader/README.md '/^| `score` /d'
planted 'a map that grows' 'allowed 445' grader/README.md '1s/$/ of many more words than there were before/'
planted 'a clock in the checker' 'checks, score and report touch no process' \
  grader/tasks/conv/conv_check.cpp '1i #include <chrono>'
planted 'a clock in the measuring loop' "measure has its target's clock only" \
  grader/measure/measure.cpp '/auto begin = target.now/s/target/std::chrono::steady_clock::/'
planted 'a session in the measuring loop' "'measure' may not include 'run'" \
  grader/measure/target.hpp '1i #include "grader/run/session.hpp"'
planted 'a fork beside the module process' 'only grader/process starts processes' \
  grader/sandbox/proc.cpp '$a int lonely() { return ::fork(); }'
planted 'the convolution in the ground floor' 'only grader/tasks knows' \
  grader/core/grade.hpp '1i struct ConvShape;'
planted 'a cast of a task' "'dynamic_cast<const FolderTask': a config owns its task" \
  grader/app/task_check.cpp 's/task_(\*config.task)/task_(dynamic_cast<const FolderTask\&>(task_of(config)))/'
planted 'a look-up by the interface' "'find_interface(': a config owns its task" \
  grader/app/machine.cpp 's/interface_of(config_, \*stage)/find_interface(config_.interface)/'
planted 'a table of tasks' "FolderTask': a config owns its task" \
  grader/config/task_reader.cpp '$a static std::vector<std::shared_ptr<const FolderTask>> known;'
planted 'a problem that changes' "mutable int calls_ = 0': tasks and problems do not change" \
  grader/tasks/folder/folder_problem.hpp '/^ private:/a\  mutable int calls_ = 0;'
planted 'a context of a stage beside that of all others' 'puts a StageContext together' \
  grader/cases/rerun/count_run.cpp '$a const StageContext own{.config = config, .threads = 8};'
planted 'one without a name' 'puts a StageContext together' \
  grader/app/reference_times.cpp '$a void f() { run(StageContext{.config = config}); }'
planted 'a process in a plan' 'a plan is made of the config' \
  grader/cases/plan/stage_plan.cpp '1i #include "grader/run/session.hpp"'
((failures == 0)) || exit 1
echo "layers.sh saw every planted mistake"
