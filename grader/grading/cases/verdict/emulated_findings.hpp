/// What the emulated device finds in a case that a GPU grades.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/cases/verdict/judged_case.hpp"

namespace opgrade {

struct EmulatedFindings {
  std::vector<Finding> findings;
  std::optional<Reason> mistake;  ///< names the worst of them
  std::optional<Reason> hidden;   ///< is set if the submission kept its findings back
  /// Why the run looked for no findings, or not to its end: a missing feature, a time limit.
  std::optional<Reason> left_out;
  bool begun = false;           ///< the run looked for some
  std::optional<Reason> fault;  ///< of the grader, which could not run the case
};

/// What a watched run of the emulated device says about a case.
EmulatedFindings findings_of(const JudgedCase& watched);

enum class FindingsRole { mistakes, notes };

/// Adds the findings to a case that ran on a GPU. Mistakes decide as on the emulated device: the
/// case has no points, although its outputs are right. How the watched run ended decides nothing,
/// because the GPU's outputs count. But if the watched run read a value that nothing had written
/// and its outputs were wrong, the GPU's are right by luck, and that read is a mistake. If the
/// submission kept its findings back, the case has no points either.
void add_emulated_findings(CaseReport& c, const EmulatedFindings& found, FindingsRole role);

}  // namespace opgrade
