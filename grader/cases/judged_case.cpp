#include "grader/cases/judged_case.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "grader/cases/not_credible.hpp"
#include "grader/core/finding_kind.hpp"
#include "grader/report/units.hpp"

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

/// With the problem that was under way.
CaseVerdict with_problem(const JudgedCase& c, CaseVerdict verdict) {
  if (c.evidence.problem.empty()) return verdict;
  if (verdict.reason.ends_with('.')) verdict.reason.pop_back();  // of a finding
  verdict.reason += "; shape: " + c.evidence.problem;
  return verdict;
}

/// Its word is enough: it earns nothing, and a GPU decides. After a stopped kernel no session ends
/// well, so right outputs did not need what is missing.
Verdict needs_a_gpu(const JudgedCase& c) {
  const bool right =
      !c.evidence.failure && !c.evidence.findings_missing &&
      std::ranges::all_of(c.calls, [](const CallReport& call) { return call.check.passed(); });
  const Finding* const missing = first_of(own(c), {FindingWeight::undecided});
  if (missing == nullptr || right) return {};
  return with_problem(c, {Outcome::not_emulated, text_of(*missing), {}});
}

Verdict has_wrong_output(const JudgedCase& c) {
  const auto wrong = std::ranges::find_if(c.calls, [](const CallReport& call) {
    return call.check.checked > 0 && !call.check.passed();
  });
  if (wrong == c.calls.end()) return {};
  const CheckReport& check = wrong->check;
  CaseVerdict verdict{Outcome::wrong_output,
                      check.first < 0 ? fmt::format("{}: {}", wrong->layer, check.hint)
                                      : fmt::format("{}: {} of {} elements are wrong", wrong->layer,
                                                    check.mismatches, check.checked),
                      check.first < 0 ? "" : check.hint};
  // A line of the source says more than a pattern in the output.
  if (const Finding* const reason = explanation(c)) verdict.hint = text_of(*reason);
  return verdict;
}

/// For a crash with almost all memory used. Without control groups an allocation above the limit
/// fails, and the program continues with a null pointer. Else empty.
std::string hint_on_memory(const UsageReport& usage, std::int64_t limit) {
  if (usage.signal == 0 || usage.peak_memory_bytes < limit / 8 * 7) return {};
  return fmt::format(
      "It held {} of the {} that it may have. Check that all is freed that a call allocates.",
      report::show_bytes(usage.peak_memory_bytes), report::show_bytes(limit));
}

Verdict ended_early(const JudgedCase& c) {
  if (!c.evidence.failure) return {};
  CaseVerdict verdict{c.evidence.failure->outcome, c.evidence.failure->reason,
                      c.evidence.failure->hint};
  if (!c.calls.empty() && c.calls.back().check.checked > 0)
    verdict.reason += ", after a call whose output was right";
  if (c.usage.signal == SIGSEGV && c.evidence.sanitized_check)
    verdict.hint +=
        " `opgrade check` runs the random shapes under g++'s address sanitizer as well: that names "
        "the line.";
  if (const auto hint = hint_on_memory(c.usage, c.evidence.memory_limit); !hint.empty())
    verdict.hint = hint + (verdict.hint.empty() ? "" : " ") + verdict.hint;
  if (const Finding* const reason = explanation(c)) verdict.hint = text_of(*reason);
  // How the process ended follows from what was found: the submission saw the error and left.
  const Finding* const mistake = worst_mistake(own(c));
  if (mistake != nullptr &&
      (verdict.outcome == Outcome::crashed || verdict.outcome == Outcome::exited_early))
    verdict.reason = fmt::format("{} Then: {}", text_of(*mistake), verdict.reason);
  return with_problem(c, verdict);
}

Verdict hides_findings(const JudgedCase& c) {
  if (!c.evidence.findings_missing) return {};
  return with_problem(
      c, {Outcome::exited_early,
          "the emulated device's findings did not arrive: their channel was closed",
          "Close no descriptors that you did not open, and end no process of the grader's."});
}

/// With right outputs.
Verdict cost_of(const Finding* mistake, FindingsRule rule) {
  if (mistake == nullptr || (rule == FindingsRule::warn && warns(*mistake))) return {};
  return CaseVerdict{
      Outcome::mistake_found, text_of(*mistake),
      fmt::format("The outputs are right here. {}{}", on_a_gpu(mistake->kind),
                  warns(*mistake) ? " A course's grading takes no points for that alone "
                                    "(`findings: warn`); this check does."
                                  : "")};
}

Verdict has_mistake(const JudgedCase& c) {
  const auto verdict = cost_of(worst_mistake(own(c)), c.evidence.findings);
  return verdict ? with_problem(c, *verdict) : verdict;
}

std::string on_layers(const JudgedCase& c) {
  return fmt::format(
      " It was found with every access watched, on {} images of the network's own layers.",
      c.evidence.watched_images);
}

Verdict has_mistake_in_layers(const JudgedCase& c) {
  auto verdict = cost_of(worst_mistake(of_layers(c)), c.evidence.findings);
  if (verdict) verdict->hint += on_layers(c);
  return verdict;
}

Verdict has_wrong_accuracy(const JudgedCase& c) {
  const auto images = [&](double share) { return std::llround(share * c.batch); };
  if (!c.accuracy || !c.required_accuracy || images(*c.accuracy) == images(*c.required_accuracy))
    return {};
  return CaseVerdict{
      Outcome::wrong_accuracy,
      fmt::format("accuracy {:.6g}, but {:.6g} is required", *c.accuracy, *c.required_accuracy),
      c.evidence.tolerance > Config{}.tolerance
          ? "Every output is within this stage's wide tolerance. Reduced precision changed some "
            "predictions: use more precision for this batch."
          : "Every output is within tolerance, so the submission did not cause this: tell the "
            "staff."};
}

Verdict is_wrong_when_varied(const JudgedCase& c) {
  const auto end = std::ranges::find_if(c.evidence.varied, [](const VariedEnd& one) {
    // A rerun may be slower, or need more: that is no wrong output.
    return one.outcome != Outcome::passed && one.outcome != Outcome::out_of_time &&
           one.outcome != Outcome::out_of_memory && one.outcome != Outcome::over_limit;
  });
  if (end == c.evidence.varied.end()) return {};
  if (is_undecided(end->outcome)) return CaseVerdict{end->outcome, end->reason, end->hint};
  // The finding that explains best why the condition changes an output.
  auto cause = std::ranges::find_if(c.findings, [&](const Finding& f) {
    return warns(f) && (f.kind == "data_race") == end->order;
  });
  if (cause == c.findings.end()) cause = std::ranges::find_if(c.findings, warns);
  return CaseVerdict{
      Outcome::mistake_found, text_of(*cause),
      fmt::format("The outputs are right here, and wrong {}: {}.", end->condition, end->reason)};
}

Verdict fails_sanitizer(const JudgedCase& c) {
  if (!c.evidence.of_sanitizer) return {};
  return CaseVerdict{
      Outcome::mistake_found, text_of(*c.evidence.of_sanitizer),
      "The outputs happen to be right here; with other sizes or devices they need not be."};
}

Verdict works_outside(const JudgedCase& c) {
  if (c.evidence.forbidden_work.empty()) return {};
  return CaseVerdict{Outcome::refused, c.evidence.forbidden_work + ", which the config forbids",
                     "Launch every kernel in the function that is timed."};
}

bool too_slow(const JudgedCase& c) { return std::ranges::any_of(c.calls, &CallReport::too_slow); }

Verdict lacks_a_time(const JudgedCase& c) {
  if (!c.evidence.needs_times || too_slow(c) || std::ranges::all_of(c.calls, &CallReport::timed))
    return {};
  return not_credible(c);
}

CaseVerdict right(const JudgedCase& c) {
  CaseVerdict verdict{Outcome::passed, "every output element is right", {}};
  if (const int left = c.evidence.stragglers; left > 0) {
    verdict.reason += fmt::format("; it left {} process{} behind", left, left == 1 ? "" : "es");
    verdict.hint = "They were ended. Wait for what you start: it takes time from other calls.";
  }
  const Finding* const in_layers = worst_mistake(of_layers(c));
  if (const Finding* const mistake = in_layers != nullptr ? in_layers : worst_mistake(own(c))) {
    const std::string place = place_of(*mistake);
    verdict.reason = fmt::format("right here; a GPU may hide this: {}",
                                 place.empty() ? text_of(*mistake) : "fix " + place);
    verdict.hint = fmt::format("The outputs are right here. {}", on_a_gpu(mistake->kind));
    if (in_layers != nullptr) verdict.hint += on_layers(c);
  }
  if (too_slow(c))
    verdict.reason += fmt::format("; not timed, for its first warm-up took longer than {} ms",
                                  c.evidence.abort_above.count());
  if (!c.evidence.earlier_failure.empty())
    verdict.reason += "; in a process of its own, after a failure in one used before: " +
                      c.evidence.earlier_failure;
  return verdict;
}

using Rule = Verdict (*)(const JudgedCase&);

/// The first that holds decides. Without one the case passes.
constexpr Rule kRules[] = {
    needs_a_gpu,     has_wrong_output,   ended_early,           hides_findings,
    has_mistake,     has_wrong_accuracy, has_mistake_in_layers, is_wrong_when_varied,
    fails_sanitizer, works_outside,      lacks_a_time,
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
  if (!c.evidence.leaked_by_call.empty()) {
    verdict->reason += fmt::format("; each call leaves {} behind, so each had a process of its own",
                                   c.evidence.leaked_by_call);
    verdict->hint +=
        fmt::format("{}Free in each call what it allocates.", verdict->hint.empty() ? "" : " ");
  }
  return *verdict;
}

void judge(JudgedCase& c) {
  CaseVerdict verdict = verdict_of(c);
  c.outcome = verdict.outcome;
  c.reason = std::move(verdict.reason);
  c.hint = std::move(verdict.hint);
}

}  // namespace opgrade
