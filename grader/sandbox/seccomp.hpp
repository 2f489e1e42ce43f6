/// The system calls a sandboxed process may not make.
#pragma once

#include <string_view>
#include <vector>

#include "grader/core/fd.hpp"

namespace opgrade {

/// A compiled filter as bubblewrap's --seccomp wants it: an open file positioned at its start.
/// Everything is allowed except what `denied_calls` lists, new namespaces, typing into a terminal
/// (TIOCSTI, TIOCLINUX) and sockets other than AF_UNIX. Denied calls fail with EPERM; clone3
/// with ENOSYS, so that the C library falls back to clone, whose flags a filter can see.
Fd seccomp_filter();

const std::vector<std::string_view>& denied_calls();

}  // namespace opgrade
