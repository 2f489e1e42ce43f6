/// Changes of roster.csv by the service: text in, text out.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <tl/expected.hpp>

#include "grader/course/course_config.hpp"

namespace opgrade::course {

struct Extension {
  std::set<std::string> logins;
  std::string assignment;
  std::string until;       ///< "2 d", "36 h" or "2026-10-15 23:59"; empty: none
  bool confirmed = false;  ///< more than a year is meant
};

/// The roster with this extension of all these students, as load_roster() reads it. An empty one
/// takes the extension of this assignment back, also where "*" gives one. Blank lines are not kept.
/// The error says why this is no roster then, or asks for a confirmation of more than a year.
tl::expected<std::string, std::string> with_extension(const std::string& roster,
                                                      const Course& course,
                                                      const Extension& extension);

/// The roster without the line of a student; the error says why there is none then.
tl::expected<std::string, std::string> without_student(const std::string& roster,
                                                       const std::string& login);

/// Changes the roster.csv of a course folder, which readers see before or after, and never half
/// written. Throws Error when the disk fails.
tl::expected<void, std::string> edit_roster(
    const std::filesystem::path& folder,
    const std::function<tl::expected<std::string, std::string>(const std::string&)>& edit);

}  // namespace opgrade::course
