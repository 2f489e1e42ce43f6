#include "grader/grading/cases/rerun/varied_run.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "grader/base/core/finding_kind.hpp"

namespace opgrade {
namespace {

struct Condition {
  const char* environment;  ///< of the emulated device; empty: as usual
  why::Variation variation;
};

// 0x4b is 1.3e7 as float, 14.6 as half: both are finite, so they show where NaN does not.
constexpr std::array kConditions{
    Condition{"", why::Variation::packed},
    Condition{"OPGRADE_EMULATION_FILL=75", why::Variation::filled},
    Condition{"OPGRADE_EMULATION_ORDER=reversed", why::Variation::reversed},
};

/// Reruns a right case in another order that CUDA allows. A finding of this kind counts if an
/// output is wrong in the rerun.
void rerun_in_order(JudgedCase& c, const Rerun& rerun, const char* environment, const char* kind) {
  const bool is_right = c.outcome == Outcome::passed;
  if (!is_right) return;
  const JudgedCase again = rerun({.environment = environment});
  const auto found = std::ranges::find(again.findings, kind, &Finding::kind);
  if (again.outcome != Outcome::wrong_output || found == again.findings.end()) return;
  c.findings.push_back(*found);
  judge(c);
}

}  // namespace

bool rerun_watched_packed(JudgedCase& c, const Rerun& rerun) {
  const bool by_checks = c.outcome == Outcome::crashed || c.outcome == Outcome::exited_early ||
                         c.outcome == Outcome::wrong_output;
  if (c.evidence.findings == FindingsRule::decide || !by_checks || !only_warns(c)) return true;
  JudgedCase on = rerun({.watched = true, .environment = "OPGRADE_EMULATION_ALLOCATIONS=packed"});
  const bool to_its_end = on.outcome == Outcome::passed || on.outcome == Outcome::mistake_found;
  if (!to_its_end && !is_undecided(on.outcome)) return false;
  add_new(c.findings, on.findings);
  on.findings = std::move(c.findings);
  judge(on);
  c = std::move(on);
  return true;
}

bool decide_without_checks(JudgedCase& c, const Rerun& rerun) {
  JudgedCase plain = rerun({});
  // What a check has found says more than what followed from it.
  const bool explains = c.outcome == Outcome::out_of_time ? plain.outcome != Outcome::out_of_time
                                                          : plain.outcome == Outcome::passed;
  if (!explains) return false;
  // The plain build does not spin, so the line where the watched one spun is dropped.
  std::erase_if(c.findings, [](const Finding& finding) { return finding.kind == "endless_loop"; });
  add_new(c.findings, plain.findings);
  plain.findings = std::move(c.findings);
  plain.evidence.unwatched_end = true;
  judge(plain);
  c = std::move(plain);
  return true;
}

void rerun_varied(JudgedCase& c, bool watched, const Rerun& rerun) {
  bool ran_plain = !watched;
  if (watched && !c.evidence.ran_plain) {
    const bool was_right_before = std::ranges::any_of(c.calls, [](const CallReport& call) {
      return call.check.checked > 0 && call.check.passed();
    });
    const bool too_slow = c.outcome == Outcome::out_of_time && was_right_before;
    if (too_slow || !rerun_watched_packed(c, rerun)) ran_plain = decide_without_checks(c, rerun);
  }
  if (c.evidence.findings == FindingsRule::decide || !only_warns(c)) return;
  const bool has_race = std::ranges::any_of(c.findings, is_race);
  for (const Condition& condition : kConditions) {
    if (c.outcome != Outcome::passed) return;
    const std::string environment = condition.environment;
    if (environment.empty() && ran_plain) continue;
    if (condition.variation == why::Variation::reversed && !has_race) continue;
    const JudgedCase again = rerun({.environment = environment});
    c.evidence.varied.push_back({condition.variation, again.outcome, again.reason});
    judge(c);
  }
}

void interleave(JudgedCase& c, const Rerun& rerun) {
  rerun_in_order(c, rerun, "OPGRADE_EMULATION_ORDER=interleaved", "lost_update");
}

void delay_work(JudgedCase& c, const Rerun& rerun) {
  rerun_in_order(c, rerun, "OPGRADE_EMULATION_ORDER=late", "missing_wait");
}

}  // namespace opgrade
