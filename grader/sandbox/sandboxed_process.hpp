/// The state of one sandboxed run: its members, its control group, its end.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "grader/core/fd.hpp"
#include "grader/core/temp_dir.hpp"
#include "grader/sandbox/cgroup.hpp"
#include "grader/sandbox/path_mapping.hpp"
#include "grader/sandbox/proc.hpp"
#include "grader/sandbox/process_group.hpp"
#include "grader/sandbox/sandbox.hpp"

namespace opgrade {

inline constexpr unsigned kNobody = 65534;
/// The kernel frees what a killed process holds before the process is gone: the page tables of some
/// terabytes take half a minute.
inline constexpr std::chrono::seconds kLongestDeath{120};
/// Times its limit of wall time that a run may wait for cores.
inline constexpr int kMostWaiting = 4;
/// bubblewrap outside, which waits, and its init inside.
inline constexpr int kOwnProcesses = 2;

struct SandboxedProcess::State {
  struct CoreTime {
    std::chrono::microseconds computed{};  ///< by all members, the dead included
    proc::CoreWaits waits;
  };

  SandboxPolicy policy;
  std::unique_ptr<Cgroup> cgroup;  // null without control groups
  ProcessGroup group;              // used where there is no PID namespace
  bool namespaces = true;
  std::optional<TempDir> scratch;  // stands for /tmp where there are no mounts
  PathMapping paths;
  Fd gate;  // bubblewrap waits until it is closed
  Fd info;  // bubblewrap writes here which process its init is, and how the program ended
  std::mutex telling;  // the watcher of the process listens, too
  std::string told;    // through it
  std::optional<ChildProcess> child;
  std::atomic<pid_t> init = 0;  // 0 while unknown
  std::vector<int> stopped;     // by the last freeze
  std::chrono::steady_clock::time_point stopped_at{};
  ResourceUse reported;  // in parts of the run
  std::mutex waiting;
  CoreTime before;                         // its clock began
  std::chrono::nanoseconds more_so_far{};  // since then
  std::chrono::microseconds computed{};    // until its wall time was over
  bool starved = false;
  bool finished = false;
  bool unstoppable = false;  // a process did not stop between calls
  bool stuck = false;        // a killed process did not end

  /// Tells all members to stop with one call, where there is one for that.
  bool stop_at_once() const;

  std::vector<int> members() const { return members_of(child->pid()); }
  std::vector<int> members_of(pid_t outer) const {
    if (!namespaces) return ProcessGroup::members(outer);
    auto pids = cgroup ? cgroup->processes() : proc::descendants(outer);
    std::erase(pids, outer);  // bubblewrap's own process outside, which only waits
    return pids;
  }

  CoreTime core_time(pid_t outer) const;
  std::chrono::nanoseconds more_wall(pid_t outer);

  bool find_init();
  void limit_and_begin(bool as_nobody);
  void kill_init();
  void reap_init(SandboxReport& report);
  void add_orphans(ProcessReport& process) const;
  void show_policys_paths(ProcessReport& process) const;
  void account(SandboxReport& report);
  bool listen(int milliseconds);
  bool started(const ProcessReport& process);
};

}  // namespace opgrade
