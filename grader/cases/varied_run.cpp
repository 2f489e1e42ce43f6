#include "grader/cases/varied_run.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace opgrade {
namespace {

struct Condition {
  const char* environment;  ///< of the emulated device; empty: as usual
  Reason::Variation variation;
};

// 0x4b is 1.3e7 as float, 14.6 as half: finite, so that it shows where NaN does not.
constexpr std::array kConditions{
    Condition{"", Reason::Variation::packed},
    Condition{"OPGRADE_EMULATION_FILL=75", Reason::Variation::filled},
    Condition{"OPGRADE_EMULATION_ORDER=reversed", Reason::Variation::reversed},
};

}  // namespace

void watch_on(JudgedCase& c, const Rerun& rerun) {
  const bool by_checks = c.outcome == Outcome::crashed || c.outcome == Outcome::exited_early ||
                         c.outcome == Outcome::wrong_output;
  if (c.evidence.findings == FindingsRule::decide || !by_checks || !only_warns(c)) return;
  JudgedCase on = rerun({.watched = true, .environment = "OPGRADE_EMULATION_ALLOCATIONS=packed"});
  const bool to_its_end = on.outcome == Outcome::passed || on.outcome == Outcome::mistake_found;
  if (!to_its_end && !is_undecided(on.outcome)) return;
  add_new(c.findings, on.findings);
  on.findings = std::move(c.findings);
  judge(on);
  c = std::move(on);
}

void decide_without_checks(JudgedCase& c, const Rerun& rerun) {
  const bool was_right_before = std::ranges::any_of(c.calls, [](const CallReport& call) {
    return call.check.checked > 0 && call.check.passed();
  });
  if (c.outcome != Outcome::out_of_time || !was_right_before) return;
  JudgedCase plain = rerun({});
  if (plain.outcome == Outcome::out_of_time) return;
  // The line where it spun: it does not.
  std::erase_if(c.findings, [](const Finding& finding) { return finding.kind == "endless_loop"; });
  add_new(c.findings, plain.findings);
  plain.findings = std::move(c.findings);
  plain.evidence.unwatched_end = true;
  judge(plain);
  c = std::move(plain);
}

void vary(JudgedCase& c, bool watched, const Rerun& rerun) {
  if (watched) {
    decide_without_checks(c, rerun);
    watch_on(c, rerun);
  }
  if (c.evidence.findings == FindingsRule::decide || !only_warns(c)) return;
  for (const Condition& condition : kConditions) {
    if (c.outcome != Outcome::passed) return;
    const std::string environment = condition.environment;
    if (environment.empty() && !watched) continue;  // it ran so
    const JudgedCase again = rerun({.environment = environment});
    c.evidence.varied.push_back({condition.variation, again.outcome, again.reason});
    judge(c);
  }
}

}  // namespace opgrade
