/// Calls whose inputs and outputs lie on a GPU, where the referee writes and reads them.
#pragma once

#include <chrono>
#include <optional>

#include "grader/cases/problem_run.hpp"
#include "grader/gpu/monitor.hpp"
#include "grader/gpu/referee.hpp"

namespace opgrade {

/// Such a process may have queued work that begins when the grader writes the input, while every
/// process is stopped. No wait for the device by the harness would see it.
inline constexpr const char* kAccompanied =
    "another process of the submission lives beside its calls, and the device may work for it";

/// Opens the tensors that the submission shares. False when they cannot be opened or are too small.
bool attach(Session& session, Referee& referee);

/// Releases the submission's tensors, also where an exception ends the call. Opened memory of a
/// finished process would look like a device that keeps memory.
class Attachment {
 public:
  explicit Attachment(Referee& referee) : referee_(referee) {}
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  ~Attachment();

 private:
  Referee& referee_;
};

/// What a call is given, and whether its output is right.
class DeviceInputs {
 public:
  virtual ~DeviceInputs() = default;
  virtual void choose(Input input) = 0;
  /// While every process of the submission is stopped: Referee::prepare().
  virtual void write() = 0;
  virtual CheckReport check() = 0;
};

/// The grader asks for the proof when a short call's function has returned, not when its process
/// has waited for the device. An early reply so gains nothing: the proof runs when the call's work
/// is done, in both cases. A long call is waited for: the device would interrupt it after some ms
/// to run the proof. That adds the wait, 10 to 15 us on an H200: all that an early reply saves
/// there.
class DeviceTarget final : public Target {
 public:
  DeviceTarget(Session& session, Referee& referee, DeviceInputs& inputs, const RunOptions& options,
               CallReport& report)
      : session_(session),
        referee_(referee),
        inputs_(inputs),
        options_(options),
        report_(report),
        monitor_(referee.uuid()) {}

  std::chrono::nanoseconds now() override;
  std::optional<std::chrono::nanoseconds> empty_call() override;
  bool prepare(Input input) override;
  std::optional<CallSample> run() override;
  Proof check() override;

  /// True if another process of the submission lived beside the last call.
  bool accompanied() const { return accompanied_; }

 private:
  Session& session_;
  Referee& referee_;
  DeviceInputs& inputs_;
  const RunOptions& options_;
  CallReport& report_;
  const GpuMonitor monitor_;
  DeviceGate gate_{referee_};
  bool accompanied_ = false, first_ = true;
  bool may_be_prompt_ = false;  ///< timed calls: see RunOptions::short_call
  bool prompt_ = false;         ///< this call
};

/// Prolog and epilog ran once: each call counts with the same ones. Ends with set_times().
void add_steps_around(CallReport& report, const StepTime& prolog, const StepTime& epilog,
                      std::chrono::nanoseconds call_cost);

}  // namespace opgrade
