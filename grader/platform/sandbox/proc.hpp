/// Reads /proc of untrusted processes, whose names may be misleading.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grader/platform/process/process.hpp"

namespace opgrade::proc {

/// The number behind `key` in a file of lines that begin with such keys; 0 if there is none.
std::int64_t number_behind(std::string_view key, const std::filesystem::path& path);

/// The fields of a stat file of /proc from the state letter on; empty if the process is gone. The
/// name before them is chosen by the process and may hold ')', spaces and line breaks, so the
/// fields begin behind the last parenthesis of the file.
std::string fields_behind_name(const std::filesystem::path& stat);

/// State letters of a process's living threads. The first thread may end before the process does.
std::string thread_states(pid_t pid);

/// A process's threads that are on a core or wait for one.
std::vector<pid_t> ready_threads(pid_t pid);

/// All descendants of a process. A child belongs to the thread that forked it, until that thread
/// has ended.
std::vector<int> descendants(pid_t pid);

/// Returns 0 if the process does not exist.
pid_t parent_of(pid_t pid);

/// Private memory that a process may write to, as RLIMIT_DATA counts it; 0 if the process does not
/// exist.
std::int64_t private_memory_of(pid_t pid);

/// A place in the code of an object (a program or a library) that a process has mapped.
struct CodePosition {
  std::filesystem::path object;  ///< as the process sees it
  std::uint64_t address = 0;     ///< from the object's start
};

/// Where the threads of a stopped process run. Leaves out threads that wait in the kernel, and all
/// threads if this user may not trace the process.
std::vector<CodePosition> code_positions(pid_t pid);

/// The resource use of a living process and of the children that it has waited for; zeros if it
/// does not exist.
ResourceUse use_of(pid_t pid);

/// CPU time of a process and of the children that it has waited for; 0 if it does not exist.
std::chrono::microseconds computed_by(pid_t pid);

/// By thread: how long it has been ready to run without a core, since it began. Covers a process's
/// living threads; empty if the kernel does not count that (CONFIG_SCHED_INFO).
using CoreWaits = std::map<pid_t, std::chrono::nanoseconds>;
void add_core_waits(pid_t pid, CoreWaits& waits);

/// The numbers of the cores on which a thread may run; none if it does not exist.
std::vector<int> cores_of(pid_t thread);

/// By number: how long each core of the machine has been idle.
std::map<int, std::chrono::microseconds> idle_times();

/// How many threads a user has on this machine.
std::uint64_t threads_of(unsigned user);

/// Limits how many processes and threads the user of a process may have, counted in that process's
/// user namespace (RLIMIT_NPROC). Returns false, with errno, if the kernel refuses. A process that
/// has ended needs no limit. `user`: the process's user, which may do so without CAP_SYS_RESOURCE.
bool limit_processes(pid_t pid, std::uint64_t most, unsigned user);

}  // namespace opgrade::proc
