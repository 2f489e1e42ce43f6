/// Runs a tool in the sandbox and hands out the one file that it writes.
#pragma once

namespace opgrade::harness {

/// `arguments`: DESCRIPTOR BYTES FILE PROGRAM ARGUMENT..., with a null at the end. Runs the program
/// and waits for its end, then copies at most BYTES + 1 bytes of FILE to the descriptor: one more
/// than is kept tells the reader that the file is larger. Returns the program's exit code, or 128
/// and the number of the signal that ended it.
///
/// The folder of FILE is the sandbox's own and goes with it, so nothing that the program or the
/// submission wrote beside it comes out. Neither of the two gets the descriptor.
int run_and_keep(char** arguments);

}  // namespace opgrade::harness
