/// Starts the compilers and the front end for opgrade-cucc.
///
/// The module `process` is for opgrade's own side: it gives a child a session of its own and an
/// empty input, captures what the child prints, and watches it with two threads and a pidfd.
/// opgrade-cucc takes a compiler's place, mostly inside the sandbox of a build. Therefore it starts
/// its parts as g++ starts its own: they share its session, environment and streams, so the
/// sandbox's limits and a terminal's Ctrl-C end all of them.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "grader/base/core/fd.hpp"

namespace opgrade::emulation {

/// The child's output and errors go to these descriptors. Throws Error if the child cannot be
/// started.
pid_t start_child(const std::vector<std::string>& command, int output = 1, int errors = 2);

inline constexpr int kSignalled = 128;

/// Returns the exit status, or kSignalled plus the signal's number. Throws Error if there is no
/// such child.
int wait_for(pid_t child);

/// Creates or empties a file for a child's output. Throws Error.
Fd open_to_write(const std::filesystem::path& file);

}  // namespace opgrade::emulation
