#!/usr/bin/env bash
# words_test.sh <project root>: words.sh accepts the tree and sees each planted text, and a list that is too long.
set -euo pipefail
root=$(realpath "${1:?usage: words_test.sh <project root>}")
words=$root/tests/lint/words.sh
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
"$words" "$root"

failures=0
# planted <file> <expected complaint> <line>
planted() {
  rm -rf "$copy/grader"
  cp -r "$root/grader" "$copy/grader"
  echo "$3" >>"$copy/grader/$1"
  local said
  if said=$("$words" "$copy") || ! grep -qF "$2" <<<"$said"; then
    echo "not seen: $3; words.sh said: $said"
    failures=$((failures + 1))
  fi
}
planted service/state/status.cpp 'service/state/status.cpp: 1 places' 'bool b = c.reason.find("SIG") != c.reason.npos;'
planted grading/pipeline/stage_cases.cpp 'grading/pipeline/stage_cases.cpp: 1 places' 'std::erase_if(notes, [&](auto& note) { return note.starts_with(id); });'
planted course/gradebook/why.cpp 'course/gradebook/why.cpp: 1 places' 'c.repeat_command.erase(c.repeat_command.begin());'
planted grading/score/score.cpp 'grading/score/score.cpp: 1 places' 'if (report.usage.limit_hit.starts_with("wall")) return;'
planted grading/run/session_failure.cpp 'session_failure.cpp: 1 places search' 'auto s = report.hint.substr(1);'
planted grading/cases/verdict/judged_case.cpp 'judged_case.cpp: 1 places write' 'verdict.reason.words += fmt::format("; {}", n);'
planted grading/cases/verdict/case_end.cpp 'case_end.cpp: 1 places write' $'c.reason =\n    text_reason(\n        "it left");'
planted grading/build/compile.cpp 'compile.cpp: 1 places write' 'BuildReport r{.reason = {.words = "built"}};'
planted grading/pipeline/earlier_run.cpp 'earlier_run.cpp: 1 places make' 'auto id = stage.name + "/" + case_name(rule.model, rule.batch);'
planted grading/cases/case_run.cpp 'case_run.cpp: 1 places make' 'if (wanted.sizes.empty()) return;'
planted grading/score/score.cpp 'score.cpp: 1 places make' 'if (id == stage.name + "/random") return;'
planted course/results/tally.cpp 'tally.cpp: 1 places write' 'notes.push_back("not run");'
planted course/results/tally.cpp 'tally.cpp: 1 places put' 'grade.notes.push_back(notes::ToolFailed{.tool = t, .words = fmt::format("no {}", x)});'
planted service/state/status.cpp 'status.cpp: 1 places put' 'grade->notes.push_back(notes::EarlierNote{words});'
planted report/words/units.cpp 'units.cpp: 1 places take apart' 'auto name = c.id.substr(stage.name.size() + 1);'
planted grading/score/rank.cpp 'rank.cpp: 1 places take apart' 'if (report.id.starts_with(stage.name + "/")) return;'
rm -rf "$copy/grader"
cp -r "$root/grader" "$copy/grader"
: >"$copy/grader/grading/cases/layer/device_target.cpp"
said=$("$words" "$copy") && failures=1
grep -q 'device_target.cpp: 0 places .* lower the number' <<<"$said" || failures=1
((failures == 0)) || exit 1
echo "words.sh saw every planted text"
