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

/// A finding, unless another one at the site says what is wrong with the call, or the call is none
/// of the submission's.
void report_failed_call(cudaError_t error, const char* function, const void* site);

/// An API function's result. A call that fails is a finding in the line that calls it: at `site`,
/// which a function that others of the runtime call gets from them. It is inlined, so the return
/// address is its caller's.
[[gnu::always_inline]] inline cudaError_t finish(cudaError_t error, const void* site = nullptr,
                                                 const char* function = __builtin_FUNCTION()) {
  if (error != cudaSuccess && sticky_error() == cudaSuccess)
    report_failed_call(error, function, site != nullptr ? site : __builtin_return_address(0));
  return remember(error);
}

/// A launch was refused; stays until the program asks for its error.
void remember_refused_launch(cudaError_t error, const char* file, int line, const char* kernel,
                             const char* why);
/// Reports a refused launch whose error was never read.
void report_unchecked_launch();

}  // namespace opgrade_emulation
