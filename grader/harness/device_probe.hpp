/// Tests that a program can work on the GPU from where the harness runs.
#pragma once

/// Starts the driver, writes device memory and reads it back. Prints the first call that fails, on
/// one line of stdout; gives the exit code.
int try_device();
