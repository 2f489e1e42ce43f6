/// Runs a tool in the sandbox and returns the one file that the tool writes.
#pragma once

namespace opgrade::harness {

/// `arguments`: DESCRIPTOR BYTES FILE PROGRAM ARGUMENT..., with a null at the end. Runs the program
/// and waits for its end, then copies at most BYTES + 1 bytes of FILE to the descriptor: the extra
/// byte tells the reader that the file is too large. Returns the program's exit code, or 128 plus
/// the number of the signal that ended it.
///
/// The folder of FILE exists only in the sandbox, so nothing else that the program or the
/// submission wrote there leaves it. Neither of them gets the descriptor.
int run_and_keep(char** arguments);

}  // namespace opgrade::harness
