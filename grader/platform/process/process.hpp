/// Starts, watches, stops and accounts for one child process and everything it starts.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "grader/base/core/error.hpp"

struct rusage;

namespace opgrade {

/// The child's start hit the limit on processes (EAGAIN), which counts all processes of its user.
/// Other programs may hold them all for a while.
struct NoMoreProcesses : Error {
  using Error::Error;
};

/// A descriptor of the grader that the child gets under the number `as`. All others are closed.
struct PassedFd {
  int fd;
  int as;
};

/// One setrlimit(2) call in the child: the soft limit is `value`, the hard one `grace` more.
struct ResourceLimit {
  int resource;  ///< RLIMIT_...
  std::uint64_t value;
  std::uint64_t grace = 0;
};

struct Command {
  std::filesystem::path program;  ///< absolute
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  ///< "NAME=value"; nothing is inherited
  std::filesystem::path working_folder = "/";
  std::vector<PassedFd> descriptors;  ///< in addition to 0 (/dev/null), 1 and 2 (captured)
  std::vector<ResourceLimit> limits;
  std::vector<std::filesystem::path> join_files;  ///< files the child writes "0" to before exec
  bool drop_to_nobody = false;                    ///< change to uid and gid 65534 first; needs root
  int niceness = 0;                               ///< added to the caller's: see nice(2)
  std::vector<int> cores;  ///< the only cores of the child and its children; empty: the caller's
  /// Runs in the child, last before exec; may only make system calls. Returns 0, or errno to give
  /// up.
  std::function<int()> confine;
};

/// Bounds that the grader enforces from outside.
struct WatchLimits {
  std::chrono::milliseconds wall{60'000};
  std::int64_t output_bytes =
      1 << 20;  ///< stdout and stderr together; beyond it the child is stopped
  std::int64_t kept_bytes =
      64 << 10;  ///< of each stream: head and tail are kept, the middle is cut
  /// How long the child may take to end after SIGKILL; restarted as long as `still_ends` returns
  /// true.
  std::chrono::milliseconds death{5'000};
  /// The following functions are called from another thread; each may be empty.
  std::function<bool(pid_t)> still_ends;
  /// Gets the time on the child's clock since the last call. Returns how much of that time other
  /// programs took from the child; its limit of wall time is extended by as much. Called when that
  /// limit is reached, and in between as `looks` says.
  std::function<std::chrono::nanoseconds(pid_t, std::chrono::nanoseconds)> outside_waits;
  /// When to call outside_waits. Each look takes some time from a child that is timed.
  struct Looks {
    std::chrono::milliseconds from{}, every{};
  };
  std::optional<Looks> looks;
};

struct Exited {
  int code;
};
struct Signalled {
  int number;
};
/// The grader stopped the child for this reason.
struct Stopped {
  enum class Why { wall_time, output, request } why;
};
using ProcessEnd = std::variant<Exited, Signalled, Stopped>;

/// Resources that processes have used.
struct ResourceUse {
  std::chrono::microseconds user{};
  std::chrono::microseconds system{};
  std::int64_t peak_memory_bytes = 0;     ///< of the largest single process
  std::int64_t voluntary_switches = 0;    ///< context switches because it waited
  std::int64_t involuntary_switches = 0;  ///< context switches because its time slice ended

  ResourceUse& operator+=(const ResourceUse& other);
};

/// The resource use that wait4(2) reports.
ResourceUse use_in(const rusage& waited);

struct ProcessReport : ResourceUse {
  ProcessEnd end = Exited{0};
  std::string standard_output;  ///< raw bytes, capped; the middle replaced by a mark
  std::string standard_error;
  std::int64_t stdout_bytes = 0;  ///< as written, not as kept
  std::int64_t stderr_bytes = 0;
  std::chrono::nanoseconds elapsed{};

  bool succeeded() const;  ///< it ended by itself, with exit code 0
};

/// A running child. Its destructor kills and reaps it.
class ChildProcess {
 public:
  /// Throws Error if the program is missing or cannot be started, and NoMoreProcesses. `kill_tree`
  /// is called, from another thread, when the child must end: it should end every process that the
  /// child may have started. It gets the child's number, and is called once more after the child
  /// has ended and before it is waited for. The child itself always gets SIGKILL as well.
  static ChildProcess start(const Command& command, const WatchLimits& limits,
                            std::function<void(pid_t)> kill_tree = {});

  ChildProcess(ChildProcess&&) noexcept;
  ~ChildProcess();

  pid_t pid() const;

  /// Restarts its wall time, with this limit, and ProcessReport::elapsed: for a child that waited
  /// for work.
  void restart_clock(std::chrono::milliseconds wall);

  /// Pauses its wall time until resume_clock(), while it is stopped or waits for the grader.
  void pause_clock();
  void resume_clock();
  /// The wall time left until its limit.
  std::chrono::nanoseconds time_left() const;

  /// Reports the output and the wall time since the start or the last call. Both are reset, and so
  /// is the limit on output. The report's `end` and use of resources mean nothing.
  ProcessReport part();

  /// Ends the child now; the report will hold Stopped::Why::request.
  void stop();

  /// Waits at most so long for the child to end by itself or at a limit. Returns false if it did
  /// not.
  bool await_end(std::chrono::milliseconds longest) const;

  /// Waits for the child's end, by itself or at a limit, and returns the report. Call once.
  ProcessReport finish();

 private:
  struct State;
  explicit ChildProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Starts a command, waits for it, and returns the report.
ProcessReport run_command(const Command& command, const WatchLimits& limits);

}  // namespace opgrade
