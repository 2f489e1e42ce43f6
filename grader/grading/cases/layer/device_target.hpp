/// Calls whose inputs and outputs lie on a GPU, where the referee writes and reads them.
#pragma once

#include <chrono>
#include <optional>

#include "grader/grading/cases/layer/layer_run.hpp"
#include "grader/platform/gpu/monitor.hpp"
#include "grader/platform/gpu/referee.hpp"

namespace opgrade {

/// Opens the tensors that the submission shares. Returns false if they cannot be opened or are too
/// small.
bool attach(Session& session, Referee& referee);

/// Releases the submission's tensors, also if an exception ends the call. Otherwise a finished
/// process with opened memory would look like a device that keeps memory.
class Attachment {
 public:
  explicit Attachment(Referee& referee) : referee_(referee) {}
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  ~Attachment();

 private:
  Referee& referee_;
};

class DeviceInputs;

/// The grader asks for the proof when a short call's function has returned, not when its process
/// has waited for the device. An early reply therefore gains nothing: in both cases the proof runs
/// when the call's work is done. A long call is waited for, because the device would interrupt it
/// after some ms to run the proof. The wait adds 10 to 15 us on an H200, which is the most that an
/// early reply saves there.
class DeviceTarget final : public Target {
 public:
  DeviceTarget(const Layer& layer, Referee& referee, DeviceInputs& inputs, CallReport& report)
      : layer_(layer),
        referee_(referee),
        inputs_(inputs),
        report_(report),
        monitor_(referee.uuid()) {}

  std::chrono::nanoseconds now() override;
  std::optional<std::chrono::nanoseconds> empty_call() override;
  bool prepare(Input input) override;
  std::optional<CallSample> run() override;
  Proof check() override;

  /// True if another process of the submission existed during the last call.
  bool accompanied() const { return accompanied_; }

 private:
  const Layer& layer_;
  Referee& referee_;
  DeviceInputs& inputs_;
  CallReport& report_;
  const GpuMonitor monitor_;
  DeviceGate gate_{referee_};
  bool accompanied_ = false, first_ = true;
  bool may_be_prompt_ = false;  ///< timed calls: see RunOptions::short_call
  bool prompt_ = false;         ///< this call
};

/// Inputs that the referee writes between the prolog and the epilog, each of which runs once.
class DeviceInputs : public InputSupplier {
 public:
  DeviceInputs(const Layer& layer, Referee& referee) : layer_(layer), referee_(referee) {}

  virtual void choose(Input input) = 0;
  /// Called while every process of the submission is stopped: Referee::prepare().
  virtual void write() = 0;
  virtual CheckReport check() = 0;
  /// True if the referee's proof covers all that a call writes.
  virtual bool are_proven() const { return true; }

  Plan::Place place() const final { return Plan::Place::device; }
  tl::expected<bool, notes::NotOnDevice> hand_over() final;
  Target& target(CallReport& report) final;
  std::optional<notes::NotOnDevice> judge(CallReport& report, const Measured& measured) final;

 protected:
  /// Warms up, and gives both sides the first input. Returns false if the session ended.
  virtual bool give() = 0;
  /// Why the prolog leaves nothing to time; nullopt if there is something to time.
  virtual std::optional<notes::NotOnDevice> spoiled() const { return {}; }
  virtual notes::NotOnDevice cannot_open() const = 0;
  /// Finds out about a wrong output what only open tensors show.
  virtual void examine(CallReport& report) = 0;
  /// Called after the epilog. Returns why the calls do not count, or nullopt.
  virtual std::optional<notes::NotOnDevice> conclude(CallReport& /*report*/) { return {}; }

  const Layer& layer_;
  Referee& referee_;

 private:
  std::optional<StepTime> prolog_;
  std::optional<Attachment> attachment_;
  std::optional<DeviceTarget> target_;
};

}  // namespace opgrade
