/// The files that a student writes, and those that a task's folder gives to students.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// The files that a stage compiles: its own list, else the interface's file.
std::vector<std::string> sources_of(const Config& config, const StageConfig& stage);

/// Those of all stages, each once.
std::vector<std::string> sources_of(const Config& config);

/// The same without what the course hands out: what a student must write, by its path in a
/// submission.
std::vector<std::string> own_sources_of(const Config& config);

/// The statement of the config's task, in Markdown; empty where the folder has none, and for a task
/// of opgrade itself. Of several exercises: which there are, and their statements.
std::string statement_of(const Config& config);

/// What a student of the task starts from, paths and texts: the template without other forms'
/// sources, the statement as README.md, the header with the prototype, types.h and staff's caller.
/// Nothing else of the folder is in it: no solution, reference, sample or case. Each of several
/// exercises has its folder. Empty for a task of opgrade itself.
std::map<std::string, std::string> starting_files(const Config& config);

}  // namespace opgrade
