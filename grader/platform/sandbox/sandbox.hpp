/// Runs untrusted programs: bubblewrap's namespaces, seccomp, resource limits and a control group.
///
/// How it works: the child joins its control group, takes on its resource limits, gives up root and
/// becomes bubblewrap. That makes the namespaces and mounts, applies the seccomp filter and runs
/// the program as uid 65534. The grader holds a pidfd on bubblewrap and the group's kill switch.
///
/// Without namespaces (tier no_userns), the child itself takes on Landlock rules and a stricter
/// filter and becomes the program. It sees the host's paths. The policy's paths are translated on
/// the way in and out (path_mapping.hpp), and a folder of the run's own stands for /tmp.
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

/// How a sandboxed run ended, beyond its ProcessReport.
struct SandboxReport {
  ProcessReport process;
  bool started = true;  ///< false: bubblewrap ended by itself before the program began
  std::int64_t peak_memory_bytes = 0;
  bool memory_limit_hit = false;
  bool process_limit_hit = false;
  /// Processes are counted by user here, and others hold what this run may have needed.
  bool processes_short = false;
  std::optional<Limit> limit;  ///< that ended the run

  /// The signal that ended the program; 0 for none.
  int signal() const;
};

/// True if the run ended before the program began, because the kernel refused a process. Asked only
/// where nothing of the program ran: its own words would be no evidence.
bool refused_a_process(const SandboxReport& report);

/// Repeats what meets refused processes, with growing pauses, for as long as a policy allows.
class StartPatience {
 public:
  explicit StartPatience(const SandboxPolicy& policy)
      : give_up_(std::chrono::steady_clock::now() + policy.starting) {}

  /// False when the time is over; otherwise after a pause.
  bool again();

 private:
  std::chrono::steady_clock::time_point give_up_;
  std::chrono::milliseconds pause_{10};
};

struct StopReport {
  bool stopped = true;  ///< false: not within SandboxPolicy::stopping; the run is being ended
  int processes = 0;    ///< living ones of the sandbox, without bubblewrap's own
  /// The time in which some of them could still run. No reply's time contains it.
  std::chrono::nanoseconds ran_on{};
};

/// A sandboxed process that is running.
class SandboxedProcess {
 public:
  SandboxedProcess(SandboxedProcess&&) noexcept;
  ~SandboxedProcess();

  /// Stops every process of the sandbox and waits until none runs; thaw() undoes it. Between the
  /// two the submission cannot change its outputs, and its wall time stands still. A control
  /// group's freezer, or a signal to a process group that none can leave, stops all at once. Else
  /// each process gets SIGSTOP in turn, and the last of many runs a little longer.
  StopReport freeze();

  /// freeze() for at most `longest`. False where a process does not stop; then all of them go on.
  bool try_freeze(std::chrono::milliseconds longest);

  /// Returns the time at which the first process could run again. On a busy machine that is well
  /// before the return, because woken processes may run before the waking one.
  std::chrono::steady_clock::time_point thaw();

  /// Private memory that its processes may write to, touched or not.
  std::int64_t private_memory() const;

  /// Where the threads of all processes run; after freeze().
  std::vector<proc::CodePosition> code_positions() const;

  /// Its wall time begins now, with this limit.
  void restart_clock(std::chrono::milliseconds wall);

  /// Its wall time stands still, until resume_clock() or thaw().
  void pause_clock();
  void resume_clock();
  /// Before its limit of wall time.
  std::chrono::nanoseconds time_left() const;

  /// Reports on the run since its start or the last part; a peak of memory is that of the whole
  /// run. The report's end says nothing. finish() then reports on the rest.
  SandboxReport part();

  /// Gives the run so long to end by itself or by a limit, without what it waits for a core.
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

  /// Starts `argv` under the policy. `descriptors` are the only ones it inherits beside its
  /// standard streams. Throws Error when the sandbox itself fails. A process that the kernel
  /// refuses is asked for again, here and in run().
  SandboxedProcess start(const SandboxPolicy& policy, const std::vector<std::string>& argv,
                         const std::vector<PassedFd>& descriptors = {}) const;

  /// Gives a folder and its content to the user the sandbox runs as, who may not be able to enter
  /// the grading user's folders.
  void hand_over(const std::filesystem::path& folder) const;

  /// start() and finish().
  SandboxReport run(const SandboxPolicy& policy, const std::vector<std::string>& argv) const;

 private:
  SandboxSupport support_;
};

}  // namespace opgrade
