/// The GPU from where the harness runs, through its driver alone.
#pragma once

/// Starts the driver, writes device memory and reads it back. Prints the first call that fails, on
/// one line of stdout; gives the exit code.
int try_device();

/// Starts the device for this process, as the first CUDA call of a submission would. A failure
/// shows there.
void start_device();
