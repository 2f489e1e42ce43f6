/// The files from which a student of the convolution starts.
#pragma once

#include <map>
#include <string>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// Paths and texts of the template without the workflow, for a student who has no config.
std::map<std::string, std::string> template_files();

/// Paths and texts: the files that the config requires, each with the functions of its interface,
/// the files that the course hands out, and a README. `argument` is the student's argument of
/// --config. Empty for a task's folder, which has starting_files().
std::map<std::string, std::string> term_files(const Config& config, const std::string& argument);

}  // namespace opgrade
