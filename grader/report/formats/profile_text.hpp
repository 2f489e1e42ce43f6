/// The profile for a terminal.
#pragma once

#include <string>

#include "grader/report/formats/text.hpp"

namespace opgrade::report {

/// All profiles of a grade. If there is none, a sentence says so and gives the reason.
std::string profile_text(const Grade& grade, Audience audience, const TextStyle& style);

}  // namespace opgrade::report
