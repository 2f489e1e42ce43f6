/// The files that a student writes, and the files of a task's folder that students get.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// The files that a stage compiles: its own list, else the interface's file.
std::vector<std::string> sources_of(const Config& config, const StageConfig& stage);

/// The sources of all stages, each once.
std::vector<std::string> sources_of(const Config& config);

/// The sources of all stages without those that the course hands out: what a student must write, as
/// paths in a submission.
std::vector<std::string> own_sources_of(const Config& config);

/// The statement of the config's task, in Markdown; empty if the folder has none, and for a task of
/// opgrade itself. For several exercises: a list of them, and their statements.
std::string statement_of(const Config& config);

/// The files from which a student of the task starts, by path: the template without other forms'
/// sources, the statement as README.md, the header with the prototype, types.h and staff's caller.
/// No solution, reference, sample or case of the folder is among them. Each of several exercises
/// has its folder. Empty for a task of opgrade itself.
std::map<std::string, std::string> starting_files(const Config& config);

}  // namespace opgrade
