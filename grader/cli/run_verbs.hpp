/// The frame of a program of verbs: errors to lines and exit codes.
#pragma once

#include "grader/arguments/arguments.hpp"

namespace opgrade::cli {

/// Parses the line and runs its verb, which sets `exit_code`. Returns the process's exit code,
/// which is kFault where stdout cannot be written.
int run_verbs(arguments::Parser& app, int argc, char** argv, const int& exit_code);

/// All output of the verb was written: the prompt may come (process/early_prompt.hpp).
void end_output(int exit_code);

}  // namespace opgrade::cli
