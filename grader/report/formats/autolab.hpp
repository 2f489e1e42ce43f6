/// Autolab's contract: feedback, and as the last line of the output the scores.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// The text report in ASCII, then one line `{"scores":{"<stage>":<points>,...}}`. Each stage is a
/// problem of the assessment, named as in the config. After a grader fault the last line is text:
/// Autolab then leaves the scores as they were.
std::string autolab_feedback(const Grade& grade, Audience audience);

}  // namespace opgrade::report
