/// Runs one command and waits for it.
#pragma once

#include <string>
#include <vector>

namespace opgrade::emulation {

/// Exit status, or 128 plus the signal's number. `output_file`, if not empty, takes its stdout;
/// `messages`, if there, the start of its stderr, which is passed on too if `passes_on`.
/// Throws Error if the command cannot be started.
int run_command(const std::vector<std::string>& arguments, const std::string& output_file = "",
                std::string* messages = nullptr, bool passes_on = true);

}  // namespace opgrade::emulation
