/// The report for a terminal: the verdict first, then its reasons.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

struct TextStyle {
  bool colour = false;   ///< escape sequences; never without a terminal or with NO_COLOR
  bool unicode = false;  ///< false: ASCII only
  int width = 80;        ///< columns; at least 40 is assumed
};

/// Sections: verdict and score, problems, a table per stage, points with reasons (if the stages'
/// tables do not show them all), notes, the machine. A problem has its place, the actual and the
/// expected value, and the next step. Lines of the submission's own output begin with "| ", so that
/// the output cannot imitate a line of the report.
std::string text_report(const Grade& grade, Audience audience, const TextStyle& style);

}  // namespace opgrade::report
