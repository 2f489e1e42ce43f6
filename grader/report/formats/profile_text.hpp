/// The profile for a terminal.
#pragma once

#include <string>

#include "grader/report/formats/text.hpp"

namespace opgrade::report {

/// All profiles of a grade; a sentence that there is none, and why, where that is so.
std::string profile_text(const Grade& grade, Audience audience, const TextStyle& style);

}  // namespace opgrade::report
