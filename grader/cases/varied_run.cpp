#include "grader/cases/varied_run.hpp"

#include <array>
#include <utility>

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

void vary(JudgedCase& c, bool watched, const Rerun& rerun) {
  if (watched) watch_on(c, rerun);
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
