#include "grader/cases/varied_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "grader/cases/case_verdict.hpp"
#include "grader/core/finding_kind.hpp"

namespace opgrade {
namespace {

struct Variation {
  const char* environment;     ///< of the emulated device; empty: as usual
  std::string_view condition;  ///< behind "the outputs are wrong"
  bool order;                  ///< of blocks and threads
};

// 0x4b is 1.3e7 as float, 14.6 as half: finite, so that it shows where NaN does not.
constexpr std::array kVariations{
    Variation{"", "with allocations next to each other, as on a GPU", false},
    Variation{"OPGRADE_EMULATION_FILL=75", "with other bytes in memory that nothing wrote", false},
    Variation{"OPGRADE_EMULATION_ORDER=reversed", "with blocks and threads in reverse order", true},
};

/// The finding that explains best why a variation changes an output.
const Finding& cause_of(const std::vector<Finding>& findings, const Variation& variation) {
  const auto fits = [&](const Finding& f) {
    return warns(f) && (f.kind == "data_race") == variation.order;
  };
  const auto found = std::ranges::find_if(findings, fits);
  return found != findings.end() ? *found : *std::ranges::find_if(findings, warns);
}

}  // namespace

void vary(CaseReport& report, const CaseContext& context, const std::filesystem::path& plain,
          const Rerun& rerun) {
  const bool right = report.outcome == Outcome::passed;
  if (context.config.findings == FindingsRule::decide || is_undecided(report.outcome) ||
      std::ranges::none_of(report.findings, warns) || std::ranges::any_of(report.findings, decides))
    return;
  // The checks can make a watched run crash or fill memory so that an output is wrong. They close
  // no channel and end no process.
  const bool by_checks = context.watched && (report.outcome == Outcome::crashed ||
                                             report.outcome == Outcome::wrong_output);
  if (!right && !by_checks) return;
  CaseContext varied = context;
  varied.submission = plain;
  varied.watched = varied.profile = false;
  std::optional<CaseReport> packed;
  for (const Variation& variation : kVariations) {
    const std::string environment = variation.environment;
    varied.variation.clear();
    if (!environment.empty()) {
      varied.variation.push_back(environment);
    } else if (!context.watched) {
      continue;  // it ran so
    }
    CaseReport again = rerun(varied);
    if (again.outcome == Outcome::passed) {
      if (!packed) packed = std::move(again);
      continue;
    }
    if (!right) return;  // the watched run has said why
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
    const Finding& cause = cause_of(report.findings, variation);
    report.outcome = Outcome::mistake_found;
    report.reason = text_of(cause);
    report.hint = fmt::format("The outputs are right here, and wrong {}: {}.", variation.condition,
                              again.reason);
    return;
  }
  if (right) return;
  packed->findings = std::move(report.findings);
  report = *std::move(packed);
  judge_mistake(report, *std::ranges::find_if(report.findings, warns), FindingsRule::warn);
}

}  // namespace opgrade
