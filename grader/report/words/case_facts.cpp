#include "grader/report/words/case_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "grader/base/core/finding_kind.hpp"
#include "grader/base/core/outcome.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/units.hpp"

namespace opgrade::report {
namespace {

/// The findings to show. If one of them explains the failure, untidiness only distracts, such as
/// memory that was not freed because the process ended.
std::vector<Finding> telling(const std::vector<Finding>& findings) {
  const auto explains = [](const Finding& f) { return weight_of(f.kind) < FindingWeight::untidy; };
  std::vector<Finding> shown = findings;
  if (std::ranges::any_of(findings, explains)) std::erase_if(shown, std::not_fn(explains));
  return shown;
}

/// In this case NaN in an output may come from such a read, because the emulated device fills its
/// memory with the bytes that the grader writes into outputs.
bool reads_unset_value(const CaseReport& c) {
  return std::ranges::any_of(c.findings, [](const Finding& f) {
    return f.kind == "unset_shared_read" || f.kind == "uninitialized_read" ||
           f.kind == "uninitialized_copy" || f.kind == "uninitialized_variable";
  });
}

}  // namespace

std::string finding_line(const Finding& f, std::string_view reason) {
  std::string line = place_of(f);
  if (!line.empty()) line += ": ";
  line += f.kind;
  if (!f.kernel.empty()) line += " in " + f.kernel;
  if (is_note(f)) line += " (note)";
  std::string_view message = f.message;
  if (message.ends_with('.')) message.remove_suffix(1);
  if (!message.empty() && reason.find(message) == reason.npos) line += ": " + f.message;
  return line;
}

std::vector<std::string> facts_of(const CaseReport& c) {
  std::vector<std::string> facts;
  const std::string reason = sentence_of(c.reason), hint = hint_of(c.reason);
  for (const auto& call : c.calls) {
    const auto& check = call.check;
    if (check.passed() || (check.checked == 0 && check.mismatches == 0)) continue;
    if (check.first >= 0) {
      facts.push_back(fmt::format("{} at ({}): got {}, want {}", call.layer,
                                  text_of(check.place, ", "), show_value(check.got),
                                  show_value(check.want)));
    }
    const bool counted = reason.find(fmt::format("{} of {} elements", check.mismatches,
                                                 check.checked)) != std::string::npos;
    std::string error = fmt::format("worst error {}, allowed {}", show_value(check.worst_error),
                                    show_value(check.tolerance));
    if (const auto scale = error_scale_text(check.error_scale); !scale.empty())
      error += fmt::format(", {}", scale);
    if (std::isnan(check.got)) {
      const bool old = check.hint_kind == Hint::Kind::unwritten && !reads_unset_value(c);
      error = old ? "the grader fills the output with NaN before each call" : "";
    }
    if (check.first < 0) {
      error.clear();  // all elements may be right: the reason says what is wrong
    } else if (!counted) {
      error = fmt::format("{} of {} elements of {} are wrong{}{}", check.mismatches, check.checked,
                          call.layer, error.empty() ? "" : "; ", error);
    }
    if (!error.empty()) facts.push_back(error);
    facts.push_back(fmt::format("{}{}: {}", call.layer.ends_with("shape") ? "" : "shape of ",
                                call.layer, text_of(call.shape)));
    // A wrong layer spoils the input of the next one, so only the first wrong layer is informative.
    break;
  }
  if (c.outcome == Outcome::wrong_accuracy && c.accuracy && c.required_accuracy) {
    facts.push_back(fmt::format("accuracy {}, required {}", show_accuracy(*c.accuracy),
                                show_accuracy(*c.required_accuracy)));
  }
  // The reason of such an outcome already names the limit.
  if (c.usage.limit && c.outcome != outcome_of(c.usage.limit->kind))
    facts.push_back("limit reached: " + text_of(*c.usage.limit));
  // A process that reaches a limit is killed, so its signal adds nothing. The reasons of the other
  // two outcomes say how the process ended.
  const bool told =
      c.usage.limit || c.outcome == Outcome::crashed || c.outcome == Outcome::exited_early;
  if (!told && c.usage.signal != 0) {
    facts.push_back(fmt::format("ended by signal {}", c.usage.signal));
  } else if (!told && c.usage.exit_code > 0) {
    facts.push_back(fmt::format("exit code {}", c.usage.exit_code));
  }
  auto findings = telling(c.findings);
  // A finding without a place is left out if the next action repeats its sentence.
  std::erase_if(findings,
                [&](const Finding& f) { return place_of(f).empty() && hint == text_of(f); });
  for (std::size_t i = 0; i < std::min(kMostFindings, findings.size()); ++i) {
    facts.push_back(finding_line(findings[i], reason));
  }
  if (findings.size() > kMostFindings) {
    facts.push_back(fmt::format("[{} more findings]", findings.size() - kMostFindings));
  }
  return facts;
}

std::string next_of(const CaseReport& c) {
  const auto findings = telling(c.findings);
  const std::string hint = hint_of(c.reason);
  const std::size_t shown = std::min(kMostFindings, findings.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Finding& f = findings[i];
    const std::string place = place_of(f);
    if (place.empty() || (hint != text_of(f) && !is_mistake(f))) continue;
    // If the outputs are right, the facts already have the hint's sentence; a hint on wrong outputs
    // is shown only here.
    std::string next = fmt::format("Fix {} first.", place);
    const bool right = c.outcome == Outcome::mistake_found || warning_of(c) != nullptr;
    if (right && !hint.empty()) return next + " " + hint;
    for (const auto& call : c.calls) {
      if (call.check.passed() || call.check.hint.empty()) continue;
      // After a copy of memory that was never written, the hint says more: which part was not
      // written.
      const bool copied = f.kind == "uninitialized_copy";
      if (!copied && call.check.hint_kind == Hint::Kind::unwritten && reads_unset_value(c))
        return next;
      return next + " The outputs: " + call.check.hint;
    }
    return next;
  }
  if (!hint.empty()) return hint;
  for (const auto& call : c.calls) {
    if (call.check.passed() || call.check.hint.empty()) continue;
    if (sentence_of(c.reason).find(call.check.hint) == std::string::npos) return call.check.hint;
    return "Check every index that y is written with: one is negative or past the end.";
  }
  if (c.hidden && c.calls.empty() && is_submission_fault(c.outcome)) {
    return "Its details are for the staff. Try other sizes of your own.";
  }
  return std::string(default_next(c.outcome));
}

std::string next_in(const StageReport& stage, const CaseReport& c) {
  const auto reason_in = [](const CaseReport& of) {
    return std::ranges::find_if(of.findings, [](const Finding& f) {
      return weight_of(f.kind) < FindingWeight::untidy && !place_of(f).empty();
    });
  };
  if (is_submission_fault(c.outcome) && reason_in(c) == c.findings.end()) {
    for (const auto& other : stage.cases) {
      if (other.hidden || other.advice || !is_submission_fault(other.outcome)) continue;
      const auto reason = reason_in(other);
      if (reason == other.findings.end()) continue;
      return fmt::format("{} {} names the likely cause: {}", next_of(other), other.id,
                         finding_line(*reason, ""));
    }
  }
  return next_of(c);
}

std::vector<Finding> untold_of(const CaseReport& c) {
  // A process that ended early could not free anything.
  if (c.outcome != Outcome::wrong_output && c.outcome != Outcome::wrong_accuracy &&
      c.outcome != Outcome::mistake_found)
    return {};
  std::vector<Finding> untold = c.findings;
  if (telling(c.findings).size() == untold.size()) return {};
  std::erase_if(untold, [](const Finding& f) { return weight_of(f.kind) < FindingWeight::untidy; });
  return untold;
}

std::string_view default_next(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return "";
    case Outcome::wrong_output:
      return "Print the indices that your code uses for the named element, and compare them with "
             "the formula.";
    case Outcome::wrong_accuracy:
      return "Look for state that survives from one call to the next.";
    case Outcome::mistake_found:
      return "Go to the named line: another GPU, or another run, may give other values there.";
    case Outcome::not_credible:
      return "Do all the work inside the timed call, and wait for the device before it returns.";
    case Outcome::crashed:
      return "Check every index against the tensor's size, and every pointer before its first use.";
    case Outcome::exited_early:
      return "Fix what it printed before it ended, and return from the function.";
    case Outcome::out_of_time:
      return "Look for a loop that does not end, then for needless work.";
    case Outcome::out_of_memory:
      return "Free what each call allocates; allocate only what it needs.";
    case Outcome::over_limit:
      return "Remove printing, files and processes from the timed code.";
    case Outcome::build_failed:
      return "Fix the first error of the compiler; later ones often follow.";
    case Outcome::refused:
      return "Hand in exactly the files that the assignment names.";
    case Outcome::not_emulated:
      return "Grade it on a machine with a GPU and the CUDA toolkit; no points are lost until "
             "then.";
    case Outcome::not_run:
      return "";
    case Outcome::grader_fault:
      return "Nothing to do for the student; the staff should run `opgrade doctor` and grade "
             "again.";
  }
  return "";
}

}  // namespace opgrade::report
