/// Turns a crash of a kernel's code into a CUDA error and a finding.
#pragma once

#include <string>

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

/// From now on a SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGTRAP of a kernel on this host thread ends
/// the kernel, not the process.
void catch_faults();

/// Ends the running kernel with this error and a finding at `site`; ends the process if called on
/// the host.
[[noreturn]] void stop_kernel(const char* kind, const std::string& message, cudaError_t error,
                              const void* site, const char* file = "", int line = 0);

/// Called before an integer is divided by zero at `site`: ends the kernel, or the process if called
/// on the host, like x86-64's signal.
void stop_division(const void* site);

/// Ends the process, because the emulation itself failed.
[[noreturn]] void stop_process(const char* why);

}  // namespace opgrade_emulation
