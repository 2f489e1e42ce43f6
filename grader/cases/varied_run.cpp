#include "grader/cases/varied_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/cases/case_verdict.hpp"
#include "grader/core/finding_kind.hpp"

namespace opgrade {
namespace {

struct Condition {
  const char* environment;     ///< of the emulated device; empty: as usual
  std::string_view condition;  ///< behind "the outputs are wrong"
  bool order;                  ///< of blocks and threads
};

// 0x4b is 1.3e7 as float, 14.6 as half: finite, so that it shows where NaN does not.
constexpr std::array kConditions{
    Condition{"", "with allocations next to each other, as on a GPU", false},
    Condition{"OPGRADE_EMULATION_FILL=75", "with other bytes in memory that nothing wrote", false},
    Condition{"OPGRADE_EMULATION_ORDER=reversed", "with blocks and threads in reverse order", true},
};

/// The finding that explains best why a condition changes an output.
const Finding& cause_of(const std::vector<Finding>& findings, const Condition& condition) {
  const auto fits = [&](const Finding& f) {
    return warns(f) && (f.kind == "data_race") == condition.order;
  };
  const auto found = std::ranges::find_if(findings, fits);
  return found != findings.end() ? *found : *std::ranges::find_if(findings, warns);
}

bool only_warns(const CaseReport& report) {
  const Finding* const mistake = worst_mistake(report.findings);
  return mistake != nullptr && warns(*mistake);
}

}  // namespace

void watch_on(CaseReport& report, FindingsRule rule, const Rerun& rerun) {
  const bool by_checks = report.outcome == Outcome::crashed ||
                         report.outcome == Outcome::exited_early ||
                         report.outcome == Outcome::wrong_output;
  if (rule == FindingsRule::decide || !by_checks || !only_warns(report)) return;
  CaseReport on = rerun({.watched = true, .environment = "OPGRADE_EMULATION_ALLOCATIONS=packed"});
  const bool to_its_end = on.outcome == Outcome::passed || on.outcome == Outcome::mistake_found;
  if (!to_its_end && !is_undecided(on.outcome)) return;
  std::vector<Finding> findings = std::move(report.findings);
  for (Finding& finding : on.findings)
    if (!is_listed(findings, finding)) findings.push_back(std::move(finding));
  report = std::move(on);
  report.findings = std::move(findings);
  if (report.outcome == Outcome::passed)
    judge_mistake(report, *worst_mistake(report.findings), rule);
}

void vary(CaseReport& report, bool watched, FindingsRule rule, const Rerun& rerun) {
  if (watched) watch_on(report, rule, rerun);
  if (rule == FindingsRule::decide || report.outcome != Outcome::passed || !only_warns(report))
    return;
  for (const Condition& condition : kConditions) {
    const std::string environment = condition.environment;
    if (environment.empty() && !watched) continue;  // it ran so
    const CaseReport again = rerun({.environment = environment});
    if (again.outcome == Outcome::passed) continue;
    if (is_undecided(again.outcome)) {
      report.outcome = again.outcome;
      report.reason = again.reason;
      report.hint = again.hint;
      return;
    }
    // A rerun may be slower, or need more: that is no wrong output.
    if (again.outcome == Outcome::out_of_time || again.outcome == Outcome::out_of_memory ||
        again.outcome == Outcome::over_limit)
      continue;
    report.outcome = Outcome::mistake_found;
    report.reason = text_of(cause_of(report.findings, condition));
    report.hint = fmt::format("The outputs are right here, and wrong {}: {}.", condition.condition,
                              again.reason);
    return;
  }
}

}  // namespace opgrade
