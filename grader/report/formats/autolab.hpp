/// Autolab's format: feedback, with the scores in the last line of the output.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// The text report in ASCII, then one line `{"scores":{"<stage>":<points>,...}}`. Each stage is a
/// problem of the assessment, named as in the config. After a grader fault the last line is text,
/// because Autolab then leaves the scores unchanged.
std::string autolab_feedback(const Grade& grade, Audience audience);

}  // namespace opgrade::report
