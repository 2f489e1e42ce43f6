/// The report for a terminal: the verdict first, then its reasons.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

struct TextStyle {
  bool colour = false;   ///< with escape sequences; never without a terminal, never with NO_COLOR
  bool unicode = false;  ///< else ASCII alone
  int width = 80;        ///< columns; at least 40 is assumed
};

/// Sections: verdict and score, problems, a table per stage, points with reasons (where the stages'
/// tables do not have them all), notes, the machine. A problem has its place, actual and wanted
/// value, and next step. Lines of the submission's own output begin with "| ", so that none can
/// pass for the report's.
std::string text_report(const Grade& grade, Audience audience, const TextStyle& style);

}  // namespace opgrade::report
