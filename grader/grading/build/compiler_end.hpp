/// What the machine tells of a compiler that failed. What the compiler prints is no evidence of a
/// fault: a source can make it print anything.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grader/base/core/device.hpp"
#include "grader/platform/sandbox/sandbox.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// True if the machine may have hindered a compiler for `device` that failed in `folder`: a limit,
/// a signal, an exit code that no wrong source has, or no room on the disk.
bool could_be_machine_fault(const SandboxReport& run, Device device,
                            const std::filesystem::path& folder);

/// What a file system has left.
struct FreeSpace {
  std::uintmax_t bytes = 0, files = 0;
};
bool is_short(const FreeSpace& left);

/// The limit that stopped a compiler that failed. A compiler's driver outlives the part that was
/// stopped, and often ends with an exit code as if the source were at fault. Then the time or the
/// memory used shows the limit; the messages only choose among the limits that a part may have met.
/// The kernel's count of time and its limit differ by some clock ticks, and by more on a busy
/// machine. If no source causes that exit code, the messages tell the limit.
std::optional<Limit> compiler_limit(const SandboxReport& run, Device device,
                                    const std::string& messages, const LimitConfig& limits);

}  // namespace opgrade
