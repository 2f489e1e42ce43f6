/// The report of a case that is not run.
#pragma once

#include "grader/base/core/grade.hpp"

namespace opgrade {

inline CaseReport skipped_case(Outcome outcome, const Reason& reason) {
  CaseReport report;
  report.outcome = outcome;
  report.reason = reason;
  return report;
}

}  // namespace opgrade
