#include "grader/cases/judged_case.hpp"

#include <signal.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "grader/cases/not_credible.hpp"
#include "grader/core/finding_kind.hpp"

namespace opgrade {
namespace {

using Verdict = std::optional<CaseVerdict>;

/// The first finding of the first of `weights` that there is, or null.
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

/// The label of the problem that showed it.
std::string shape_of(const JudgedCase& c, const Finding& finding) {
  for (const auto& [found, problem] : c.evidence.found_in)
    if (is_listed({found}, finding)) return problem;
  return c.evidence.problem;
}

/// Its word is enough: it earns nothing, and a GPU decides. After a stopped kernel no session ends
/// well, so right outputs did not need what is missing.
Verdict needs_a_gpu(const JudgedCase& c) {
  const bool right =
      !c.evidence.failure && !c.evidence.findings_missing &&
      std::ranges::all_of(c.calls, [](const CallReport& call) { return call.check.passed(); });
  const Finding* const missing = first_of(own(c), {FindingWeight::undecided});
  if (missing == nullptr || right) return {};
  return CaseVerdict{
      Outcome::not_emulated,
      {.kind = Reason::Kind::needs_gpu, .shape = shape_of(c, *missing), .finding = *missing}};
}

Verdict has_wrong_output(const JudgedCase& c) {
  const auto wrong = std::ranges::find_if(c.calls, [](const CallReport& call) {
    return call.check.checked > 0 && !call.check.passed();
  });
  if (wrong == c.calls.end()) return {};
  const CheckReport& check = wrong->check;
  // A line of the source says more than a pattern in the output.
  return CaseVerdict{
      Outcome::wrong_output,
      {.kind = check.first < 0 ? Reason::Kind::wrong_otherwise : Reason::Kind::wrong_elements,
       .words = check.hint,
       .failed_call = c.evidence.failed_call,
       .layer = wrong->layer,
       .count = check.mismatches,
       .of = check.checked,
       .explanation = copy_of(explanation(c))}};
}

/// For a crash with almost all memory used. Without control groups an allocation above the limit
/// fails, and the program continues with a null pointer.
void tell_memory(Reason& reason, const UsageReport& usage, std::int64_t limit) {
  if (usage.signal == 0 || usage.peak_memory_bytes < limit / 8 * 7) return;
  reason.held_bytes = usage.peak_memory_bytes;
  reason.allowed_bytes = limit;
}

Verdict ended_early(const JudgedCase& c) {
  if (!c.evidence.failure) return {};
  CaseVerdict verdict{c.evidence.failure->outcome, c.evidence.failure->reason};
  Reason& reason = verdict.reason;
  reason.shape = c.evidence.problem;
  reason.emulated = c.evidence.emulated && reason.kind == Reason::Kind::device_error;
  reason.after_right_call = !c.calls.empty() && c.calls.back().check.checked > 0;
  reason.sanitizer_helps = c.usage.signal == SIGSEGV && c.evidence.sanitized_check;
  tell_memory(reason, c.usage, c.evidence.memory_limit);
  reason.explanation = copy_of(explanation(c));
  // How the process ended follows from what was found: the submission saw the error and left.
  const Finding* const mistake = worst_mistake(own(c));
  if (mistake != nullptr &&
      (verdict.outcome == Outcome::crashed || verdict.outcome == Outcome::exited_early))
    reason.finding = *mistake;
  return verdict;
}

Verdict hides_findings(const JudgedCase& c) {
  if (!c.evidence.findings_missing) return {};
  return CaseVerdict{Outcome::exited_early,
                     {.kind = Reason::Kind::findings_missing, .shape = c.evidence.problem}};
}

/// With right outputs.
Verdict cost_of(const Finding* mistake, FindingsRule rule) {
  if (mistake == nullptr || (rule == FindingsRule::warn && warns(*mistake))) return {};
  return CaseVerdict{Outcome::mistake_found, {.kind = Reason::Kind::mistake, .finding = *mistake}};
}

Verdict has_mistake(const JudgedCase& c) {
  auto verdict = cost_of(worst_mistake(own(c)), c.evidence.findings);
  if (verdict) verdict->reason.shape = shape_of(c, *verdict->reason.finding);
  return verdict;
}

Verdict has_mistake_in_layers(const JudgedCase& c) {
  auto verdict = cost_of(worst_mistake(of_layers(c)), c.evidence.findings);
  if (verdict) verdict->reason.watched_images = c.evidence.watched_images;
  return verdict;
}

Verdict has_wrong_accuracy(const JudgedCase& c) {
  const auto images = [&](double share) { return std::llround(share * c.batch); };
  if (!c.accuracy || !c.required_accuracy || images(*c.accuracy) == images(*c.required_accuracy))
    return {};
  return CaseVerdict{Outcome::wrong_accuracy,
                     {.kind = Reason::Kind::wrong_accuracy,
                      .accuracy = *c.accuracy,
                      .required_accuracy = *c.required_accuracy,
                      .wide_tolerance = c.evidence.tolerance > Config{}.tolerance}};
}

Verdict is_wrong_when_varied(const JudgedCase& c) {
  const auto end = std::ranges::find_if(c.evidence.varied, [](const VariedEnd& one) {
    // A rerun may be slower, or need more: that is no wrong output.
    return one.outcome != Outcome::passed && one.outcome != Outcome::out_of_time &&
           one.outcome != Outcome::out_of_memory && one.outcome != Outcome::over_limit;
  });
  if (end == c.evidence.varied.end()) return {};
  if (is_undecided(end->outcome)) return CaseVerdict{end->outcome, end->reason};
  // The finding that explains best why the variation changes an output.
  const bool order = end->variation == Reason::Variation::reversed;
  auto cause = std::ranges::find_if(
      c.findings, [&](const Finding& f) { return warns(f) && is_race(f) == order; });
  if (cause == c.findings.end()) cause = std::ranges::find_if(c.findings, warns);
  return CaseVerdict{Outcome::mistake_found,
                     {.kind = Reason::Kind::wrong_when_varied,
                      .finding = *cause,
                      .variation = end->variation,
                      .another = {end->reason}}};
}

Verdict fails_when_watched(const JudgedCase& c) {
  if (!c.evidence.failed_when_watched) return {};
  const auto& [outcome, reason] = *c.evidence.failed_when_watched;
  return CaseVerdict{outcome == Outcome::wrong_output ? Outcome::mistake_found : outcome,
                     {.kind = Reason::Kind::failed_when_watched, .another = {reason}}};
}

Verdict fails_sanitizer(const JudgedCase& c) {
  if (!c.evidence.of_sanitizer) return {};
  return CaseVerdict{Outcome::mistake_found,
                     {.kind = Reason::Kind::sanitizer_mistake, .finding = c.evidence.of_sanitizer}};
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
  Reason reason{.kind = Reason::Kind::right};
  const Finding* const in_layers = worst_mistake(of_layers(c));
  if (const Finding* const mistake = in_layers != nullptr ? in_layers : worst_mistake(own(c))) {
    reason.kind = Reason::Kind::hidden_on_gpu;
    reason.finding = *mistake;
    if (in_layers != nullptr) reason.watched_images = c.evidence.watched_images;
  } else {
    reason.left_behind = c.evidence.stragglers;
  }
  reason.unwatched_end = c.evidence.unwatched_end;
  reason.failed_call = c.evidence.failed_call;
  if (too_slow(c)) reason.slow_warm_up_ms = c.evidence.abort_above.count();
  if (c.evidence.earlier_failure) reason.another = {*c.evidence.earlier_failure};
  return {Outcome::passed, reason};
}

using Rule = Verdict (*)(const JudgedCase&);

/// The first that holds decides. Without one the case passes.
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

CaseVerdict verdict_of(const JudgedCase& c) {
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
  CaseVerdict verdict = verdict_of(c);
  c.outcome = verdict.outcome;
  c.reason = std::move(verdict.reason);
}

}  // namespace opgrade
