#include "grader/grading/cases/verdict/judged_case.hpp"

#include <signal.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "grader/base/core/finding_kind.hpp"
#include "grader/grading/cases/verdict/not_credible.hpp"

namespace opgrade {
namespace {

using Verdict = std::optional<CaseVerdict>;

/// The first finding with the earliest of `weights` that occurs, or null.
const Finding* first_of(std::span<const Finding> findings,
                        std::initializer_list<FindingWeight> weights) {
  for (const auto weight : weights) {
    const auto found = std::ranges::find(
        findings, weight, [](const Finding& finding) { return weight_of(finding.kind); });
    if (found != findings.end()) return &*found;
  }
  return nullptr;
}

std::size_t own_findings(const JudgedCase& c) {
  return std::min(c.evidence.own_findings, c.findings.size());
}
std::span<const Finding> own(const JudgedCase& c) {
  return std::span(c.findings).first(own_findings(c));
}
std::span<const Finding> of_layers(const JudgedCase& c) {
  return std::span(c.findings).subspan(own_findings(c));
}

/// The finding that explains best why something failed, or null: a mistake, else a note.
const Finding* explanation(const JudgedCase& c) {
  using enum FindingWeight;
  return first_of(own(c), {decides, warns, explains});
}

std::optional<Finding> copy_of(const Finding* finding) {
  return finding != nullptr ? std::optional(*finding) : std::nullopt;
}

/// The label of the problem that showed the finding.
std::string shape_of(const JudgedCase& c, const Finding& finding) {
  for (const auto& [found, problem] : c.evidence.found_in)
    if (is_listed({found}, finding)) return problem;
  return c.evidence.problem;
}

/// A missing feature is trusted: the case earns nothing, and a GPU decides. After a stopped kernel
/// no session ends well, so right outputs did not need what is missing.
Verdict needs_a_gpu(const JudgedCase& c) {
  const bool right =
      !c.evidence.failure && !c.evidence.findings_missing &&
      std::ranges::all_of(c.calls, [](const CallReport& call) { return call.check.passed(); });
  const Finding* const missing = first_of(own(c), {FindingWeight::undecided});
  if (missing == nullptr || right) return {};
  CaseVerdict verdict{Outcome::not_emulated, why::NeedsGpu{*missing}};
  verdict.reason.shape = shape_of(c, *missing);
  return verdict;
}

Verdict has_wrong_output(const JudgedCase& c) {
  const auto wrong = std::ranges::find_if(c.calls, [](const CallReport& call) {
    return call.check.checked > 0 && !call.check.passed();
  });
  if (wrong == c.calls.end()) return {};
  const CheckReport& check = wrong->check;
  CaseVerdict verdict{Outcome::wrong_output, {}};
  if (check.first < 0)
    verdict.reason = why::WrongOtherwise{wrong->layer, check.mismatches, check.checked, check.hint,
                                         c.evidence.failed_call};
  else
    verdict.reason = why::WrongElements{wrong->layer, check.mismatches, check.checked, check.hint,
                                        c.evidence.failed_call};
  // A line of the source says more than a pattern in the output.
  verdict.reason.explanation = copy_of(explanation(c));
  return verdict;
}

/// Adds the memory to a crash with almost all memory used. Without control groups an allocation
/// above the limit fails, and the program continues with a null pointer.
void tell_memory(why::Ending& ending, const UsageReport& usage, std::int64_t limit) {
  if (usage.signal == 0 || usage.peak_memory_bytes < limit / 8 * 7) return;
  ending.held_bytes = usage.peak_memory_bytes;
  ending.allowed_bytes = limit;
}

Verdict ended_early(const JudgedCase& c) {
  if (!c.evidence.failure) return {};
  CaseVerdict verdict{c.evidence.failure->outcome, c.evidence.failure->reason};
  verdict.reason.shape = c.evidence.problem;
  verdict.reason.explanation = copy_of(explanation(c));
  why::Ending* const ending = ending_of(verdict.reason);
  if (ending == nullptr) return verdict;
  if (auto* const error = std::get_if<why::DeviceError>(&verdict.reason.what))
    error->emulated = c.evidence.emulated;
  ending->after_right_call = !c.calls.empty() && c.calls.back().check.checked > 0;
  ending->sanitizer_helps = c.usage.signal == SIGSEGV && c.evidence.sanitized_check;
  tell_memory(*ending, c.usage, c.evidence.memory_limit);
  // How the process ended follows from the finding: the submission saw the error and left.
  const Finding* const mistake = worst_mistake(own(c));
  if (mistake != nullptr &&
      (verdict.outcome == Outcome::crashed || verdict.outcome == Outcome::exited_early))
    ending->finding = *mistake;
  return verdict;
}

Verdict hides_findings(const JudgedCase& c) {
  if (!c.evidence.findings_missing) return {};
  CaseVerdict verdict{Outcome::exited_early, why::FindingsMissing{}};
  verdict.reason.shape = c.evidence.problem;
  return verdict;
}

/// True if the mistake costs points although the outputs are right.
bool costs_points(const Finding* mistake, FindingsRule rule) {
  return mistake != nullptr && (rule != FindingsRule::warn || !warns(*mistake));
}

Verdict has_mistake(const JudgedCase& c) {
  const Finding* const mistake = worst_mistake(own(c));
  if (!costs_points(mistake, c.evidence.findings)) return {};
  CaseVerdict verdict{Outcome::mistake_found, why::Mistake{*mistake}};
  verdict.reason.shape = shape_of(c, *mistake);
  return verdict;
}

Verdict has_mistake_in_layers(const JudgedCase& c) {
  const Finding* const mistake = worst_mistake(of_layers(c));
  if (!costs_points(mistake, c.evidence.findings)) return {};
  return CaseVerdict{Outcome::mistake_found, why::Mistake{*mistake, c.evidence.watched_images}};
}

Verdict has_wrong_accuracy(const JudgedCase& c) {
  const auto images = [&](double share) { return std::llround(share * c.batch); };
  if (!c.accuracy || !c.required_accuracy || images(*c.accuracy) == images(*c.required_accuracy))
    return {};
  return CaseVerdict{Outcome::wrong_accuracy,
                     why::WrongAccuracy{*c.accuracy, *c.required_accuracy,
                                        c.evidence.tolerance > Config{}.tolerance}};
}

Verdict is_wrong_when_varied(const JudgedCase& c) {
  const auto end = std::ranges::find_if(c.evidence.varied, [](const VariedEnd& one) {
    // A rerun may be slower, or need more memory; neither is a wrong output.
    return one.outcome != Outcome::passed && one.outcome != Outcome::out_of_time &&
           one.outcome != Outcome::out_of_memory && one.outcome != Outcome::over_limit;
  });
  if (end == c.evidence.varied.end()) return {};
  if (is_undecided(end->outcome)) return CaseVerdict{end->outcome, end->reason};
  // The finding that explains best why the variation changes an output.
  const bool order = end->variation == why::Variation::reversed;
  auto cause = std::ranges::find_if(
      c.findings, [&](const Finding& f) { return warns(f) && is_race(f) == order; });
  if (cause == c.findings.end()) cause = std::ranges::find_if(c.findings, warns);
  return CaseVerdict{Outcome::mistake_found,
                     why::WrongWhenVaried{*cause, end->variation, {end->reason}}};
}

Verdict fails_when_watched(const JudgedCase& c) {
  if (!c.evidence.failed_when_watched) return {};
  const auto& [outcome, reason] = *c.evidence.failed_when_watched;
  return CaseVerdict{outcome == Outcome::wrong_output ? Outcome::mistake_found : outcome,
                     why::FailedWhenWatched{{reason}}};
}

Verdict fails_sanitizer(const JudgedCase& c) {
  if (!c.evidence.of_sanitizer) return {};
  return CaseVerdict{Outcome::mistake_found, why::SanitizerMistake{*c.evidence.of_sanitizer}};
}

Verdict works_outside(const JudgedCase& c) {
  if (!c.evidence.forbidden_work) return {};
  return CaseVerdict{Outcome::refused, *c.evidence.forbidden_work};
}

bool too_slow(const JudgedCase& c) { return std::ranges::any_of(c.calls, &CallReport::too_slow); }

Verdict lacks_a_time(const JudgedCase& c) {
  if (!c.evidence.needs_times || too_slow(c) || std::ranges::all_of(c.calls, &CallReport::timed))
    return {};
  return not_credible(c);
}

CaseVerdict right(const JudgedCase& c) {
  why::PassRemarks remarks;
  remarks.unwatched_end = c.evidence.unwatched_end;
  remarks.failed_call = c.evidence.failed_call;
  if (too_slow(c)) remarks.slow_warm_up_ms = c.evidence.abort_above.count();
  if (c.evidence.earlier_failure) remarks.earlier_failure = {*c.evidence.earlier_failure};
  if (const Finding* const mistake = worst_mistake(of_layers(c)))
    return {Outcome::passed, why::HiddenOnGpu{remarks, *mistake, c.evidence.watched_images}};
  if (const Finding* const mistake = worst_mistake(own(c)))
    return {Outcome::passed, why::HiddenOnGpu{remarks, *mistake}};
  remarks.left_behind = c.evidence.stragglers;
  return {Outcome::passed, why::Right{remarks}};
}

using Rule = Verdict (*)(const JudgedCase&);

/// The first rule that holds decides. If none holds, the case passes.
constexpr Rule kRules[] = {
    needs_a_gpu,        has_wrong_output,   ended_early,           hides_findings,
    has_mistake,        has_wrong_accuracy, has_mistake_in_layers, is_wrong_when_varied,
    fails_when_watched, fails_sanitizer,    works_outside,         lacks_a_time,
};

}  // namespace

const Finding* worst_mistake(std::span<const Finding> findings) {
  return first_of(findings, {FindingWeight::decides, FindingWeight::warns});
}

bool only_warns(const CaseReport& report) {
  const Finding* const mistake = worst_mistake(report.findings);
  return mistake != nullptr && warns(*mistake);
}

void add_new(std::vector<Finding>& findings, const std::vector<Finding>& more) {
  for (const Finding& finding : more)
    if (!is_listed(findings, finding)) findings.push_back(finding);
}

CaseVerdict case_verdict(const JudgedCase& c) {
  Verdict verdict;
  for (const Rule rule : kRules) {
    verdict = rule(c);
    if (verdict) break;
  }
  if (!verdict) verdict = right(c);
  verdict->reason.leaked_bytes = c.evidence.leaked.bytes;
  verdict->reason.leaked_on_device = c.evidence.leaked.on_device;
  return *verdict;
}

void judge(JudgedCase& c) {
  CaseVerdict verdict = case_verdict(c);
  c.outcome = verdict.outcome;
  c.reason = std::move(verdict.reason);
}

}  // namespace opgrade
