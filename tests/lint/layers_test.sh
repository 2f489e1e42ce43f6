#!/usr/bin/env bash
# layers_test.sh <project root>: layers.sh accepts the tree and sees each of twenty-one planted mistakes.
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
planted 'an include against the direction' "grader/grading/score/score.cpp:1: 'grading/score' may not include 'report'" \
  grader/grading/score/score.cpp '1i #include "grader/report/formats/text.hpp"'
planted 'the reference in the report' "'report' may not include 'reference'" \
  grader/report/formats/text.hpp '1i #include "reference/conv_direct.hpp"'
planted 'a dependency on a row below' "DEPENDS names 'config'" \
  grader/task/interface/CMakeLists.txt 's/DEPENDS core/DEPENDS config core/'
planted 'a dependency on a module that must not be known' "DEPENDS names 'files'" \
  grader/task/interface/CMakeLists.txt 's/DEPENDS core/DEPENDS files core/'
planted 'a dependency on a room that must not be known' "DEPENDS names 'config'" \
  grader/report/CMakeLists.txt 's/DEPENDS core/DEPENDS config core/'
planted 'a ban that the code breaks' "DEPENDS names 'sandbox'" \
  grader/README.md '/^| `grading\/run` /s/`task`/`platform\/sandbox`/'
planted 'a module without a row' "grader/grading/score has no row" grader/README.md '/^| `grading\/score` /d'
planted 'a room whose rows stand apart' "rows of the room 'base' do not stand together" \
  grader/README.md '/^| `base\/files` /{h;d};/^| `platform\/process` /G'
planted 'a map that grows' 'allowed 335' grader/README.md '1s/$/ of many more words than there were before/'
planted 'a clock in the checker' 'checks, score and report touch no process' \
  grader/task/conv/conv_check.cpp '1i #include <chrono>'
planted 'a clock in the measuring loop' "measure has its target's clock only" \
  grader/grading/measure/measure.cpp '/auto begin = target.now/s/target/std::chrono::steady_clock::/'
planted 'a session in the measuring loop' "'grading/measure' may not include 'grading/run'" \
  grader/grading/measure/target.hpp '1i #include "grader/grading/run/session.hpp"'
planted 'a fork beside the module process' 'only grader/platform/process starts processes' \
  grader/platform/sandbox/proc.cpp '$a int lonely() { return ::fork(); }'
planted 'the convolution in the ground floor' 'only grader/task/conv knows' \
  grader/base/core/grade.hpp '1i struct ConvShape;'
planted 'a cast of a task' "'dynamic_cast<const FolderTask': a config owns its task" \
  grader/authoring/task_check.cpp 's/task_(\*config.task)/task_(dynamic_cast<const FolderTask\&>(task_of(config)))/'
planted 'a look-up by the interface' "'find_interface(': a config owns its task" \
  grader/grading/pipeline/machine.cpp 's/interface_of(config_, \*stage)/find_interface(config_.interface)/'
planted 'a table of tasks' "FolderTask': a config owns its task" \
  grader/task/config/task_reader.cpp '$a static std::vector<std::shared_ptr<const FolderTask>> known;'
planted 'a problem that changes' "mutable int calls_ = 0': tasks and problems do not change" \
  grader/task/folder/folder_problem.hpp '/^ private:/a\  mutable int calls_ = 0;'
planted 'a context of a stage beside that of all others' 'puts a StageContext together' \
  grader/grading/cases/rerun/count_run.cpp '$a const StageContext own{.config = config, .threads = 8};'
planted 'one without a name' 'puts a StageContext together' \
  grader/grading/pipeline/reference_times.cpp '$a void f() { run(StageContext{.config = config}); }'
planted 'a process in a plan' 'a plan is made of the config' \
  grader/grading/cases/plan/stage_plan.cpp '1i #include "grader/grading/run/session.hpp"'
((failures == 0)) || exit 1
echo "layers.sh saw every planted mistake"
