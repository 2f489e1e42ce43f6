/// The words of compilers and linkers that tell of the machine, not of the source.
#pragma once

#include <optional>
#include <string>

#include "grader/config/config.hpp"
#include "grader/sandbox/sandbox.hpp"

namespace opgrade {

/// True if a part of the compiler could not be started: the user's processes were used up, for
/// instance by other submissions of the class.
bool processes_ran_out(const std::string& messages);

/// True if the machine may have hindered a compiler that ended like this. A plain error message
/// about the source is the submission's own.
bool could_be_machine_fault(const SandboxReport& run, const std::string& messages);

/// The limit that stopped the compiler. A compiler's driver outlives its
/// stopped part, and ends as if the source were at fault. Then its messages show that, or the time
/// used. The kernel's count and its limit differ by some clock ticks, on a busy machine by more.
std::optional<Limit> compiler_limit(const SandboxReport& run, const std::string& messages,
                                    const LimitConfig& limits);

}  // namespace opgrade
