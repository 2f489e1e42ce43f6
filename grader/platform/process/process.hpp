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

/// The child's limit on processes is reached (EAGAIN), which counts all processes of its user.
/// Others may hold them all for a while.
struct NoMoreProcesses : Error {
  using Error::Error;
};

/// A descriptor of the grader's that the child gets under the number `as`. All others are closed.
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
  std::vector<PassedFd> descriptors;  ///< beside 0 (/dev/null), 1 and 2 (captured)
  std::vector<ResourceLimit> limits;
  std::vector<std::filesystem::path> join_files;  ///< files the child writes "0" to before exec
  bool drop_to_nobody = false;                    ///< change to uid and gid 65534 first; needs root
  int niceness = 0;                               ///< added to the caller's: see nice(2)
  std::vector<int> cores;  ///< on which alone it and its children run; empty: the caller's
  /// Runs in the child, last before exec: system calls only. Returns 0, or errno to end the start.
  std::function<int()> confine;
};

/// Bounds that the grader enforces from outside.
struct WatchLimits {
  std::chrono::milliseconds wall{60'000};
  std::int64_t output_bytes =
      1 << 20;  ///< stdout and stderr together; beyond it the child is stopped
  std::int64_t kept_bytes =
      64 << 10;  ///< of each stream: head and tail are kept, the middle is cut
  /// Limit of the time to end after SIGKILL, begun anew as long as `still_ends`.
  std::chrono::milliseconds death{5'000};
  /// Each of these is called from another thread, or is empty.
  std::function<bool(pid_t)> still_ends;
  /// Gets the time on the child's clock since the last call, and returns how much of it the machine
  /// took from the child: its limit of wall time is moved by that. Called when that time is over,
  /// and between as `looks` says.
  std::function<std::chrono::nanoseconds(pid_t, std::chrono::nanoseconds)> outside_waits;
  /// Looking costs a child that is timed some of its time.
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
/// The grader stopped it, for this reason.
struct Stopped {
  enum class Why { wall_time, output, request } why;
};
using ProcessEnd = std::variant<Exited, Signalled, Stopped>;

/// Resources that processes have used.
struct ResourceUse {
  std::chrono::microseconds user{};
  std::chrono::microseconds system{};
  std::int64_t peak_memory_bytes = 0;     ///< of the largest single process
  std::int64_t voluntary_switches = 0;    ///< context switches: it waited for something
  std::int64_t involuntary_switches = 0;  ///< its time slice ended

  ResourceUse& operator+=(const ResourceUse& other);
};

/// The use that wait4(2) tells.
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
  /// Throws Error when the program is missing or cannot be started, and NoMoreProcesses.
  /// `kill_tree` is called, from another thread, when the child must end: it should end every
  /// process the child may have started. It gets the child's number, and is called once more when
  /// the child has ended and was not yet waited for. The child itself always gets SIGKILL as well.
  static ChildProcess start(const Command& command, const WatchLimits& limits,
                            std::function<void(pid_t)> kill_tree = {});

  ChildProcess(ChildProcess&&) noexcept;
  ~ChildProcess();

  pid_t pid() const;

  /// Its wall time, with this limit, and ProcessReport::elapsed begin now: for a child that waited
  /// for work.
  void restart_clock(std::chrono::milliseconds wall);

  /// Its wall time stands still, while it is stopped or waits for the grader, until resume_clock().
  void pause_clock();
  void resume_clock();
  /// Before its limit of wall time.
  std::chrono::nanoseconds time_left() const;

  /// The output and the wall time since the start or the last call. Both begin anew, and so does
  /// the limit on output. The report's `end` and use of resources say nothing.
  ProcessReport part();

  /// Ends the child now; the report will say Stopped::Why::request.
  void stop();

  /// Gives the child so long to end by itself or by a limit. False if it did not.
  bool await_end(std::chrono::milliseconds longest) const;

  /// Waits for the child's end (its own, or by a limit) and gives the report. Call once.
  ProcessReport finish();

 private:
  struct State;
  explicit ChildProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Starts a command, waits for it, gives the report.
ProcessReport run_command(const Command& command, const WatchLimits& limits);

}  // namespace opgrade
