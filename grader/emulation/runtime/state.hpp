/// The error state that CUDA keeps for the host program.
#pragma once

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

/// Error of the running or a finished kernel: every later call returns it, as after a fault on a
/// GPU.
cudaError_t sticky_error();
void set_sticky_error(cudaError_t error);

/// The sticky error if there is one, else `error`, remembered for cudaGetLastError.
cudaError_t remember(cudaError_t error);

/// Reports a failed call, unless another finding at the site explains the failure, or the call is
/// not the submission's.
void report_failed_call(cudaError_t error, const char* function, const void* site);

/// The result of an API function. A failed call is a finding in the line that calls the function.
/// `site` is the return address of that call; functions that are called by others of the runtime
/// get it from their callers. Inlined, so that the default is the return address of the API
/// function.
[[gnu::always_inline]] inline cudaError_t finish(cudaError_t error, const void* site = nullptr,
                                                 const char* function = __builtin_FUNCTION()) {
  if (error != cudaSuccess && sticky_error() == cudaSuccess)
    report_failed_call(error, function, site != nullptr ? site : __builtin_return_address(0));
  return remember(error);
}

/// Remembers a refused launch until the program asks for its error.
void remember_refused_launch(cudaError_t error, const char* file, int line, const char* kernel,
                             const char* why);
/// Reports a refused launch whose error was never read.
void report_unchecked_launch();

}  // namespace opgrade_emulation
