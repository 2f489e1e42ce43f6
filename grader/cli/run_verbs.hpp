/// The frame of a program of verbs: errors to lines and exit codes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/arguments/arguments.hpp"

namespace opgrade::cli {

/// For the shells' completions: passes on a line that another program completes, and then does not
/// come back.
using Elsewhere = std::function<void(const std::vector<std::string>& words)>;

/// Parses the line and runs its verb, which sets `exit_code`, or prints candidates for the last
/// word of an unfinished line. Returns the process's exit code, which is kFault where stdout cannot
/// be written.
int run_verbs(arguments::Parser& app, int argc, char** argv, const int& exit_code,
              const Elsewhere& elsewhere = {});

/// All output of the verb was written: the prompt may come (process/early_prompt.hpp).
void end_output(int exit_code);

}  // namespace opgrade::cli
