/// Turns a crash of a kernel's code into a CUDA error and a finding.
#pragma once

#include <string>

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

class Worker;

/// While it lives, a SIGSEGV, SIGBUS, SIGFPE or SIGILL on this host thread ends the kernel, not the
/// process.
class FaultScope {
 public:
  explicit FaultScope(Worker& worker);
  ~FaultScope();
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;
};

/// Ends the running kernel with this error and a finding at `site`; on the host it ends the
/// process.
[[noreturn]] void stop_kernel(const char* kind, const std::string& message, cudaError_t error,
                              const void* site, const char* file = "", int line = 0);

/// The emulation itself failed: ends the process.
[[noreturn]] void stop_process(const char* why);

}  // namespace opgrade_emulation
