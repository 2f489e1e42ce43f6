/// The system calls a sandboxed process may not make.
#pragma once

#include <linux/filter.h>

#include <string_view>
#include <vector>

#include "grader/base/core/fd.hpp"

namespace opgrade {

/// A compiled filter for bubblewrap's --seccomp: an open file positioned at its start. Everything
/// is allowed except what `denied_calls` lists, new namespaces, typing into a terminal (TIOCSTI,
/// TIOCLINUX) and sockets other than AF_UNIX. Denied calls fail with EPERM. clone3 fails with
/// ENOSYS, so that the C library falls back to clone, whose flags a filter can see. `loopback`
/// allows AF_INET as well, for a process in a network namespace of its own. If `pinned`, the
/// process stays on its cores: calls that choose other cores do nothing and succeed, because
/// OpenMP's runtime starts no thread if they fail.
Fd seccomp_filter(bool loopback = false, bool pinned = false);

/// A filter for a process that shares the host's namespaces, to be loaded with seccomp(2). In
/// addition to seccomp_filter(), it denies what namespaces would have isolated:
/// - all sockets but pairs, System V and POSIX message queues and memory;
/// - changes of files by path that Landlock does not see;
/// - changes of other processes' limits and priority; leaving the process group.
/// If `signals`, the filter must stop signals to the outside, too: then a process can signal only
/// itself. `cuda` allows libcuda's own socket, which it binds to a name and listens on. Connections
/// there are never answered.
std::vector<sock_filter> shared_host_filter(bool signals, bool cuda, bool pinned = false);

const std::vector<std::string_view>& denied_calls();
const std::vector<std::string_view>& denied_on_shared_host();
const std::vector<std::string_view>& denied_without_cuda();

}  // namespace opgrade
