/// Runs untrusted programs: bubblewrap's namespaces, seccomp, resource limits and a control group.
///
/// How it works: the child joins its control group, sets its resource limits, gives up root and
/// becomes bubblewrap. bubblewrap makes the namespaces and mounts, applies the seccomp filter and
/// runs the program as uid 65534. The grader holds a pidfd of bubblewrap and can kill the whole
/// group.
///
/// Without namespaces (tier no_userns), the child itself applies Landlock rules and a stricter
/// filter and becomes the program. It sees the host's paths. The policy's paths are translated on
/// the way in and out (path_mapping.hpp), and a private folder of the run stands for /tmp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/limit.hpp"
#include "grader/platform/process/process.hpp"
#include "grader/platform/sandbox/policy.hpp"
#include "grader/platform/sandbox/proc.hpp"
#include "grader/platform/sandbox/support.hpp"

namespace opgrade {

/// How a sandboxed run ended, in addition to its ProcessReport.
struct SandboxReport {
  ProcessReport process;
  bool started = true;  ///< false: bubblewrap ended by itself before the program began
  std::int64_t peak_memory_bytes = 0;
  bool memory_limit_hit = false;
  bool process_limit_hit = false;
  /// Processes are counted by user here, and other programs hold those that this run may have
  /// needed.
  bool processes_short = false;
  std::optional<Limit> limit;  ///< the limit that ended the run

  /// The signal that ended the program; 0 for none.
  int signal() const;
};

/// True if the run ended before the program began, because the kernel refused a process. Call this
/// only if nothing of the program ran, because the program's own output is no evidence.
bool refused_a_process(const SandboxReport& report);

/// Repeats a start that meets refused processes, with growing pauses, for as long as a policy
/// allows.
class StartPatience {
 public:
  explicit StartPatience(const SandboxPolicy& policy)
      : give_up_(std::chrono::steady_clock::now() + policy.starting) {}

  /// Pauses and returns true; returns false if the time is over.
  bool again();

 private:
  std::chrono::steady_clock::time_point give_up_;
  std::chrono::milliseconds pause_{10};
};

struct StopReport {
  bool stopped = true;  ///< false: not within SandboxPolicy::stopping, so the run is being ended
  int processes = 0;    ///< living processes of the sandbox, without bubblewrap's own
  /// The time in which some of them could still run. It is part of no reply's time.
  std::chrono::nanoseconds ran_on{};
};

/// A sandboxed process that is running.
class SandboxedProcess {
 public:
  SandboxedProcess(SandboxedProcess&&) noexcept;
  ~SandboxedProcess();

  /// Stops every process of the sandbox and waits until none runs; thaw() undoes it. In between the
  /// submission cannot change its outputs, and its wall time is paused. A control group's freezer,
  /// or a signal to a process group that no process can leave, stops all at once. Otherwise each
  /// process gets SIGSTOP in turn, and the last of many runs a little longer.
  StopReport freeze();

  /// Like freeze(), for at most `longest`. If a process does not stop, lets all of them go on and
  /// returns false.
  bool try_freeze(std::chrono::milliseconds longest);

  /// Returns the time at which the first process could run again. On a busy machine that is well
  /// before the return, because woken processes may run before the thread that wakes them.
  std::chrono::steady_clock::time_point thaw();

  /// Bytes of private memory that its processes may write to, touched or not.
  std::int64_t private_memory() const;

  /// Where the threads of all processes run; call after freeze().
  std::vector<proc::CodePosition> code_positions() const;

  /// Restarts its wall time, with this limit.
  void restart_clock(std::chrono::milliseconds wall);

  /// Pauses its wall time until resume_clock() or thaw().
  void pause_clock();
  void resume_clock();
  /// The wall time left until its limit.
  std::chrono::nanoseconds time_left() const;

  /// Reports on the run since its start or the last part; the peak of memory is that of the whole
  /// run. The report's end means nothing. finish() then reports on the rest.
  SandboxReport part();

  /// Waits for the run to end by itself or at a limit. Waits at most `longest`, not counting the
  /// time in which the run waits for a core.
  void await_end(std::chrono::milliseconds longest) const;
  void stop();
  SandboxReport finish();

 private:
  friend class Sandbox;
  struct State;
  explicit SandboxedProcess(std::unique_ptr<State> state);
  StopReport stop_all(std::chrono::milliseconds longest, bool fair);
  std::unique_ptr<State> state_;
};

class Sandbox {
 public:
  explicit Sandbox(SandboxSupport support);

  const SandboxSupport& support() const { return support_; }

  /// Starts `argv` under the policy. The process inherits only `descriptors` and its standard
  /// streams. Throws Error if the sandbox itself fails. If the kernel refuses a process, this
  /// function and run() try again.
  SandboxedProcess start(const SandboxPolicy& policy, const std::vector<std::string>& argv,
                         const std::vector<PassedFd>& descriptors = {}) const;

  /// Gives a folder and its content to the user that the sandbox runs as, because that user may be
  /// unable to enter the grading user's folders.
  void hand_over(const std::filesystem::path& folder) const;

  /// Calls start() and finish().
  SandboxReport run(const SandboxPolicy& policy, const std::vector<std::string>& argv) const;

 private:
  SandboxSupport support_;
};

}  // namespace opgrade
