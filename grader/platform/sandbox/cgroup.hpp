/// A control group around one sandboxed run: memory and process limits for the whole tree.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/fd.hpp"

namespace opgrade {

/// Which control groups this process may make. Detected once, at start.
struct CgroupSupport {
  enum class Kind { none, v1, v2 };
  Kind kind = Kind::none;
  std::vector<std::filesystem::path>
      parents;                    ///< v2: one folder; v1: memory, pids and, if available, cpuacct
  std::filesystem::path freezer;  ///< v1: folder of the freezer's controller, if available
  std::string why_not;            ///< if kind is none: what was tried

  /// Tries to make and remove a group. Under cgroup v2, where a group with processes cannot have
  /// limited children, this process moves into a leaf of its own group first.
  static CgroupSupport detect();
};

struct CgroupUse {
  std::int64_t peak_memory_bytes = 0;
  std::chrono::microseconds user{};  ///< of all members, dead ones included; 0 if not counted
  std::chrono::microseconds system{};
  bool memory_limit_hit = false;   ///< the kernel killed a process for memory
  bool process_limit_hit = false;  ///< a fork failed at the limit
};

class Cgroup {
 public:
  /// Throws Error if the group cannot be made although detect() succeeded.
  Cgroup(const CgroupSupport& support, std::int64_t memory_bytes, int processes);
  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  /// A process joins the group by writing "0" to these files.
  std::vector<std::filesystem::path> join_files() const;
  std::vector<int> processes() const;

  /// Tells every member with one call to freeze until thaw(), including processes that members fork
  /// later. Returns false if there is no freezer.
  bool freeze() const noexcept;

  /// Call after freeze(): waits some milliseconds until all members are frozen. Returns false if
  /// they are not: one may be in a long system call.
  bool is_frozen() const;
  void thaw() const noexcept;

  /// Sends SIGKILL to every member until none is left or a second has passed.
  void kill() const noexcept;
  CgroupUse use() const;

 private:
  CgroupSupport::Kind kind_;
  std::vector<std::filesystem::path> folders_;  // same order as CgroupSupport::parents
  std::filesystem::path freezer_;  // v1: folder of its controller; empty if there is none
  Fd state_;                       // the freezer's file; none without a freezer
};

}  // namespace opgrade
