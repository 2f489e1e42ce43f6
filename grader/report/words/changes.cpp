#include "grader/report/words/changes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/report/words/units.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {
namespace {

const StageReport* stage_of(const Grade& grade, const std::string& name) {
  const auto found = std::ranges::find(grade.stages, name, &StageReport::name);
  return found == grade.stages.end() ? nullptr : &*found;
}

const CaseReport* case_of(const StageReport& stage, const std::string& id) {
  const auto found = std::ranges::find(stage.cases, id, &CaseReport::id);
  return found == stage.cases.end() ? nullptr : &*found;
}

std::int64_t wrong_elements(const CaseReport& c) {
  std::int64_t wrong = 0;
  for (const auto& call : c.calls) wrong += call.check.mismatches;
  return wrong;
}

/// "wrong output (12 elements)".
std::string change_of(const CaseReport& c) {
  std::string text(state_of(c));
  if (c.outcome == Outcome::wrong_output && wrong_elements(c) > 0)
    text += fmt::format(" ({} elements)", wrong_elements(c));
  return text;
}

}  // namespace

std::vector<std::string> changes_between(const Grade& before, const Grade& after) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& what, const std::string& old, const std::string& now) {
    if (old != now) lines.push_back(fmt::format("{}: {} -> {}", what, old, now));
  };
  for (const auto& stage : after.stages) {
    const StageReport* const old = stage_of(before, stage.name);
    if (old == nullptr) continue;
    if (stage.build.outcome != old->build.outcome)
      add(stage.name + "'s build", std::string(words(old->build.outcome).text),
          std::string(words(stage.build.outcome).text));
    for (const auto& c : stage.cases) {
      if (const CaseReport* const was = case_of(*old, c.id))
        add(c.id, change_of(*was), change_of(c));
    }
  }
  add("points", show_points(before.points), show_points(after.points));
  return lines;
}

}  // namespace opgrade::report
