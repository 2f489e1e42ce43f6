/// The error state that CUDA keeps for the host program.
#pragma once

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

/// Error of the running or a finished kernel: every later call returns it, as after a fault on a
/// GPU.
cudaError_t sticky_error();
void set_sticky_error(cudaError_t error);

/// An API function's result: the sticky error if there is one, else `error`, remembered for
/// cudaGetLastError.
cudaError_t finish(cudaError_t error);

/// A launch was refused; stays until the program asks for its error.
void remember_refused_launch(cudaError_t error, const char* file, int line, const char* kernel,
                             const char* why);
/// Reports a refused launch whose error was never read.
void report_unchecked_launch();

}  // namespace opgrade_emulation
