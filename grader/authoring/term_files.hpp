/// What a student of the convolution starts from.
#pragma once

#include <map>
#include <string>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// Paths and texts of the template, for a student who has no config. Without the workflow.
std::map<std::string, std::string> template_files();

/// Paths and texts: the files that the config asks for, each with the functions of its interface,
/// what the course hands out, and a README. `argument` is what the student gives to --config. Empty
/// for a task's folder, which has starting_files().
std::map<std::string, std::string> term_files(const Config& config, const std::string& argument);

}  // namespace opgrade
