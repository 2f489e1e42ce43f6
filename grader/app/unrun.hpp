/// The report of a case that is not run.
#pragma once

#include <string>

#include "grader/core/grade.hpp"

namespace opgrade {

inline CaseReport unrun(Outcome outcome, const std::string& reason, const std::string& hint) {
  CaseReport report;
  report.outcome = outcome;
  report.reason = reason;
  report.hint = hint;
  return report;
}

}  // namespace opgrade
