/// One sandboxed process with a loaded submission, driven call by call.
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/run/call_gate.hpp"
#include "grader/grading/run/call_page.hpp"
#include "grader/grading/run/call_tensors.hpp"
#include "grader/grading/run/received_reply.hpp"
#include "grader/grading/run/session_failure.hpp"
#include "grader/grading/run/step_time.hpp"
#include "grader/platform/harness/protocol.hpp"
#include "grader/platform/sandbox/sandbox.hpp"

namespace opgrade {

/// The steps of a call besides the timed one. A step that the interface lacks is not requested,
/// because it would be unmeasured run time of the submission.
struct InterfaceSteps {
  bool prolog = true;
  bool epilog = true;
  std::string_view operation = "function";  ///< what a call computes, for messages
  std::string_view buffers = "a buffer";    ///< its buffers, likewise
  bool ends_process = false;  ///< a program: each call has a process, in which `main` runs once
};

/// Times of one prolog, timed call and epilog.
struct CallTimes {
  StepTime op;     ///< the timed call
  StepTime layer;  ///< all steps that the interface has
  StepTime last;   ///< the step that delivered the output: the epilog, else the timed call
  int steps = 0;   ///< how many steps there are
};

/// How a step runs.
struct Arming {
  bool events = true;   ///< with device events, which lengthen it by some us
  bool prompt = false;  ///< the step is done when the submission's function has returned (CallPage)
};

/// Between calls every process of the submission is stopped, so that nothing changes an output
/// after its call or works on an input before it.
class Session {
 public:
  /// When the submission is loaded: at once, or by load() or the first request that needs it.
  enum class Load { now, later };

  /// Starts the harness on `submission`: a shared object on the host, in a folder that the process
  /// sees whole. With Load::later the file need not exist before load(). An empty path stands for a
  /// submission that does nothing. A submission that fails to load shows at the first call.
  /// `sandbox` must outlive the session.
  Session(const Sandbox& sandbox, SandboxPolicy policy, InterfaceSteps steps,
          const std::filesystem::path& harness, const std::filesystem::path& submission,
          Load load = Load::now);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Waits until the harness has started. With Load::later no code of the submission has run by
  /// then. Returns false if the process ended.
  bool await_harness();

  /// For Load::later: starts the device, if there is one, and waits for it, at most for the limit
  /// of wall time. Returns false if the process ended. Without start_device(), the submission's own
  /// first call starts the device.
  bool start_device();

  /// After await_harness(): whether the process still waits for the submission.
  bool is_waiting() const;

  /// For Load::later: loads the submission. Its wall time begins now.
  void load();

  /// Stops the process's wall time until map(), because the grader makes inputs meanwhile.
  void pause_clock() { process_->pause_clock(); }

  /// Hands over tensors, which replace any earlier ones. `meanwhile` runs while the process maps
  /// them. Returns false if the session is over; after finish(), failure() tells why.
  bool map(const CallTensors& tensors, const std::function<void()>& meanwhile = {});

  /// Makes one call, step by step. `refresh` runs when the first step is armed and every process is
  /// stopped, so an input that it writes cannot be known before the step's time begins. `gate` is
  /// for the last step, which delivers the output.
  std::optional<CallTimes> call(const std::function<void()>& refresh = {},
                                CallGate* gate = nullptr);

  /// The two halves of call(): arm_call() arms its first step, run_call() runs all its steps.
  bool arm_call(Arming how = {});
  std::optional<CallTimes> run_call(CallGate* gate = nullptr);

  /// Has the process do the untimed work of a step and wait for the step's start; then stops the
  /// process. Returns false if the session is over.
  bool arm(protocol::Kind step, Arming how = {});

  /// Runs the armed step. The time begins before any process can run again, or, with a gate that
  /// holds, when the gate opens.
  std::optional<StepTime> go(CallGate* gate = nullptr);

  /// arm() and go(). Between steps the submission is stopped as between calls.
  std::optional<StepTime> step(protocol::Kind kind) { return arm(kind) ? go() : std::nullopt; }

  /// After a prolog: where the output and the input that the referee writes can be opened on the
  /// device. Returns nullopt if they cannot.
  std::optional<std::array<opgrade_shared, 2>> share();

  /// How many processes besides the harness there were when the last call had ended.
  int stragglers() const { return stragglers_; }

  /// How long processes of the submission could run after the last reply until they were stopped.
  /// No clock of the call includes this time.
  std::chrono::nanoseconds ran_on() const { return ran_on_; }

  /// Private memory that its processes may write to, touched or not. Valid between calls.
  std::int64_t private_memory() const { return process_->private_memory(); }

  /// The emulated device's findings so far. Asks for the rest if the process still listens.
  ToldFindings findings();
  /// The packets with findings that came since the last call of this function.
  std::vector<std::string> new_findings();

  /// True if the session accepts no more requests, for any reason.
  bool over() const { return over_; }

  /// Where the process's threads were shortly before its limit of wall time, look by look; empty
  /// for a process that did not come near the limit.
  const std::vector<proc::CodePosition>& last_positions() const { return last_positions_; }

  /// From now on the session serves the profile: later failures do not change the verdict. An
  /// earlier failure stays.
  void verdict_is_in() { verdict_is_in_ = !over_; }

  /// Starts recording what the device does. Returns an empty text, or why it cannot be done.
  std::string profile_begin();

  /// Ends recording. Returns the record, which the submission's process wrote as
  /// grader/grading/profile/events.hpp describes; or nullopt, and sets `why` to the reason.
  std::optional<std::string> profile_end(std::string& why);

  /// Ends a case of a session that serves several: the process gives back the case's buffers.
  /// Returns the use and the output of that case, which the report of finish() then lacks; nullopt
  /// if the session is over.
  std::optional<SandboxReport> end_case();
  /// The process may wait up to 100 hours for begin_case() or load(), which start the wall time of
  /// the next case.
  void await_case();
  void begin_case();

  /// Ends the process and returns its report, or that of its last case.
  SandboxReport finish();

  /// Returns and forgets the error of the first CUDA call that failed since the last question, as
  /// the submission's process tells it; or an empty text. Failed launches and errors that stopped
  /// the device are not among them.
  std::string take_failed_call() { return std::exchange(failed_call_, {}); }

  /// After finish(): what went wrong, or nullopt.
  std::optional<SessionFailure> failure(const SandboxReport& report) const;

 private:
  void start();
  bool await_start();
  bool await_submission();
  void ask_for_submission();
  bool send(protocol::Request request, std::span<const int> files);
  std::optional<protocol::Reply> request(protocol::Request request,
                                         std::span<const int> files = {});
  std::optional<std::string> forgive_missing(protocol::Status status);
  std::optional<protocol::Reply> receive(protocol::Kind expected);
  bool wait_for(std::atomic<std::uint32_t>& word, bool spin);
  void take_reply(protocol::Kind step, StepTime& time);
  void freeze();
  void restart_clock();
  bool request_arm(const protocol::Request& request);
  void look_where_it_is();

  const Sandbox& sandbox_;
  SandboxPolicy policy_;
  std::vector<std::string> arguments_;
  SharedPage page_;
  Fd control_;
  Fd findings_;
  std::vector<std::string> told_;  ///< packets that new_findings() received
  std::optional<SandboxedProcess> process_;
  std::optional<SandboxReport> ended_;  ///< of a process that did not start
  why::Step doing_ = why::Step::loading;
  bool spoiled_ = false;  ///< see why::Ending
  std::optional<protocol::Reply> bad_reply_;
  std::string failed_call_;  ///< see take_failed_call()
  InterfaceSteps steps_;
  bool prompt_ = false;     ///< the armed step is prompt: see Arming
  protocol::Kind armed_{};  ///< the step that waits for its start; ready: none does
  std::uint32_t sequence_ = 0;
  std::chrono::nanoseconds ran_on_{};
  std::vector<proc::CodePosition> last_positions_;
  int looks_ = 0;
  int stragglers_ = 0;
  Load load_;
  bool started_ = false;
  bool verdict_is_in_ = false;
  bool over_ = false;
  bool finished_ = false;
};

}  // namespace opgrade
