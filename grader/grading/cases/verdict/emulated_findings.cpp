#include "grader/grading/cases/verdict/emulated_findings.hpp"

#include <algorithm>

#include "grader/base/core/finding_kind.hpp"
#include "grader/grading/cases/verdict/explain_case.hpp"

namespace opgrade {
namespace {

/// True if nothing worse than a mistake with right outputs is known of the case.
bool is_right(Outcome outcome) {
  return outcome == Outcome::passed || outcome == Outcome::not_credible ||
         outcome == Outcome::wrong_accuracy;
}

/// The note on a value that nothing wrote, if the outputs show that it was used: the GPU's are
/// right by luck.
const Finding* used_unset(const JudgedCase& watched, const std::vector<Finding>& findings) {
  if (watched.outcome != Outcome::wrong_output) return nullptr;
  const auto unset = std::ranges::find_if(findings, reads_unset);
  return unset == findings.end() ? nullptr : &*unset;
}

void set_outcome(CaseReport& c, Outcome outcome, const Reason& reason) {
  c.outcome = outcome;
  c.reason = reason;
}

}  // namespace

EmulatedFindings findings_of(const JudgedCase& watched) {
  EmulatedFindings found{.findings = watched.findings};
  // Drops the line where the watched run spun, because the GPU's run did not spin.
  std::erase_if(found.findings, [](const Finding& f) { return f.kind == "endless_loop"; });
  if (is_undecided(watched.outcome)) {
    // Without the feature, all other findings may follow from its absence.
    found.findings.clear();
    found.left_out = watched.reason;
    return found;
  }
  if (watched.reason.is<why::FindingsMissing>()) found.hidden = watched.reason;
  if (const Finding* const worst = worst_mistake(found.findings)) {
    found.mistake =
        watched.outcome == Outcome::mistake_found ? watched.reason : why::Mistake{*worst};
  } else if (const Finding* const unset = used_unset(watched, found.findings)) {
    found.mistake = why::Mistake{*unset};
  } else if (watched.outcome != Outcome::passed && !found.hidden) {
    found.left_out = watched.reason;
    found.begun = true;
  }
  return found;
}

void add_emulated_findings(CaseReport& c, const EmulatedFindings& found, FindingsRole role) {
  if (c.outcome == Outcome::grader_fault || is_undecided(c.outcome)) return;
  const bool right = is_right(c.outcome);
  explain_with(c, found.findings);
  if (!right || role == FindingsRole::notes) return;
  if (found.fault)
    set_outcome(c, Outcome::grader_fault, *found.fault);
  else if (found.mistake)
    set_outcome(c, Outcome::mistake_found, *found.mistake);
  else if (found.hidden)
    set_outcome(c, Outcome::exited_early, *found.hidden);
}

}  // namespace opgrade
