/// Changes of roster.csv by the service: text in, text out.
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>

#include "grader/course/course_config.hpp"

namespace opgrade::course {

/// The roster with this extension of a student, as load_roster() reads it: "2 d", "36 h" or
/// "2026-10-15 23:59". An empty one takes the student's extension of this assignment back, also
/// where "*" gives one. Blank lines are not kept. The error says why this is no roster then, or
/// asks for a confirmation of more than a year.
tl::expected<std::string, std::string> with_extension(
    const std::string& roster, const Course& course, const std::string& login,
    const std::string& assignment, const std::string& extension, bool confirmed = false);

/// The same in the roster.csv of a course folder, which readers see before or after, and never
/// half written. Throws Error when the disk fails.
tl::expected<void, std::string> set_extension(const std::filesystem::path& folder,
                                              const Course& course, const std::string& login,
                                              const std::string& assignment,
                                              const std::string& extension, bool confirmed);

}  // namespace opgrade::course
