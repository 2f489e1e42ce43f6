/// What a sandboxed process may see and use, as data.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace opgrade {

/// A path of the host that appears in the sandbox.
struct Mount {
  std::filesystem::path host;
  std::filesystem::path inside;
  enum class Access { read, write, device } access = Access::read;
  bool optional = false;  ///< left out if the host lacks it
};

struct SandboxPolicy {
  std::vector<Mount> mounts;
  std::vector<std::string> environment;  ///< "NAME=value"; nothing else is set
  std::filesystem::path working_folder = "/tmp";

  std::chrono::milliseconds wall{60'000};
  std::chrono::seconds cpu{60};  ///< per process (RLIMIT_CPU); the tree is bounded by `wall`
  std::int64_t memory_bytes = std::int64_t{4} << 30;
  /// Memory that the grader's own code uses in the process. The control group's limit is the sum of
  /// this and memory_bytes.
  std::int64_t watcher_bytes = 0;
  /// Address space that the grader's code reserves in the process and hardly uses. It counts only
  /// if memory is limited without a control group.
  std::int64_t reserved_bytes = 0;
  int processes = 64;  ///< processes and threads together
  std::int64_t output_bytes = 1 << 20;
  std::int64_t kept_output_bytes = 64 << 10;
  std::int64_t file_bytes = 64 << 20;  ///< largest file, and size of each private tmpfs
  int open_files = 256;
  std::int64_t stack_bytes = 64 << 20;
  /// How long its processes may take to stop between calls, without the time in which they wait for
  /// a core. A system call that no signal interrupts can take longer; its process is ended.
  std::chrono::milliseconds stopping{20'000};
  /// How long a killed process may show no sign of life: neither on a core nor waiting for one. The
  /// kernel frees the process's memory before the process is gone.
  std::chrono::milliseconds dying{120'000};
  /// How long a start is retried if the kernel refuses a process. If processes are counted per
  /// user, a neighbour's fork bomb may hold them all until its own limits end it.
  std::chrono::milliseconds starting{30'000};
  /// Allows internet sockets. In a network namespace of its own they reach only the sandbox; in the
  /// tier without namespaces they stay forbidden.
  bool loopback = false;
  bool timed = false;  ///< its calls are timed, so the grader disturbs it as little as possible
  /// The only cores of its processes, which they cannot change; empty: the grader's cores.
  std::vector<int> cores;
  int niceness = 0;  ///< above 0: gives way to others if cores are short
};

/// True if the policy lets a program use a GPU.
inline bool has_devices(const SandboxPolicy& policy) {
  for (const Mount& mount : policy.mounts)
    if (mount.access == Mount::Access::device) return true;
  return false;
}

}  // namespace opgrade
