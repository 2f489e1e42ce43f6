/// Runs one command and waits for it.
#pragma once

#include <string>
#include <vector>

namespace opgrade::emulation {

/// Exit status, or 128 plus the signal's number. `output_file`, if not empty, takes its stdout.
/// Throws Error if the command cannot be started.
int run_command(const std::vector<std::string>& arguments, const std::string& output_file = "");

}  // namespace opgrade::emulation
