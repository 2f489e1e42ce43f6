/// Starts the GPU through the driver alone, so that no CUDA toolkit is needed.
#pragma once

namespace opgrade::harness {

/// Starts the device for this process, as the first CUDA call of a submission would. If that fails,
/// the first CUDA call will report it.
void start_device();

/// Starts the driver, writes device memory and reads it back. Prints the first call that fails, on
/// one line of stdout; returns the exit code.
int try_device();

}  // namespace opgrade::harness
