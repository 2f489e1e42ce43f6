/// Turns a crash of a kernel's code into a CUDA error and a finding.
#pragma once

#include <string>

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

/// From now on a SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGTRAP of a kernel on this host thread ends
/// the kernel, not the process.
void catch_faults();

/// Ends the running kernel with this error and a finding at `site`; on the host it ends the
/// process.
[[noreturn]] void stop_kernel(const char* kind, const std::string& message, cudaError_t error,
                              const void* site, const char* file = "", int line = 0);

/// An integer is about to be divided by zero at `site`: ends the kernel, or on the host the
/// process, as the signal of x86-64 does.
void stop_division(const void* site);

/// The emulation itself failed: ends the process.
[[noreturn]] void stop_process(const char* why);

}  // namespace opgrade_emulation
