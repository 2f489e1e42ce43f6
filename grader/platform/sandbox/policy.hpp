/// A sandboxed process's view and limits, as data.
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
  bool optional = false;  ///< left out when the host lacks it
};

struct SandboxPolicy {
  std::vector<Mount> mounts;
  std::vector<std::string> environment;  ///< "NAME=value"; nothing else is set
  std::filesystem::path working_folder = "/tmp";

  std::chrono::milliseconds wall{60'000};
  std::chrono::seconds cpu{60};  ///< per process (RLIMIT_CPU); the tree is bounded by `wall`
  std::int64_t memory_bytes = std::int64_t{4} << 30;
  /// For what the grader itself keeps in the process; in the control group's limit beside the
  /// above.
  std::int64_t watcher_bytes = 0;
  /// Address space that code of the grader's reserves in the process and hardly uses. It counts
  /// only where memory is limited without a control group.
  std::int64_t reserved_bytes = 0;
  int processes = 64;  ///< processes and threads together
  std::int64_t output_bytes = 1 << 20;
  std::int64_t kept_output_bytes = 64 << 10;
  std::int64_t file_bytes = 64 << 20;  ///< largest file, and size of each private tmpfs
  int open_files = 256;
  std::int64_t stack_bytes = 64 << 20;
  /// Limit of the time that its processes take to stop between calls, without what they wait for a
  /// core. A system call that no signal interrupts can take longer; its process is ended.
  std::chrono::milliseconds stopping{20'000};
  /// How long a killed process may show no sign of life, neither on a core nor in line for one. The
  /// kernel frees what it holds before the process is gone.
  std::chrono::milliseconds dying{120'000};
  /// How long a start is repeated where the kernel refused a process. Where they are counted per
  /// user, a neighbour's fork bomb holds them all until its own limits end it.
  std::chrono::milliseconds starting{30'000};
  /// It may use sockets of the internet. In a namespace of its own they reach itself alone; in the
  /// tier without namespaces they stay forbidden.
  bool loopback = false;
  bool timed = false;  ///< calls in it are: it is disturbed as little as can be
  /// The cores on which alone its processes run, which they cannot change; empty: the grader's.
  std::vector<int> cores;
  int niceness = 0;  ///< above 0: gives way to others where processors are short
};

/// True if it lets a program work on a GPU.
inline bool has_devices(const SandboxPolicy& policy) {
  for (const Mount& mount : policy.mounts)
    if (mount.access == Mount::Access::device) return true;
  return false;
}

}  // namespace opgrade
