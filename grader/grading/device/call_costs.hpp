/// The cost of a timed call that does nothing, measured in processes of the grader's own.
///
/// The grader's clock around a call includes more than the call: waking the process and polling on
/// the CPU, and on a GPU two switches of the device between processes. Op Time is the grader's
/// clock minus that cost. No submission runs in these processes, so none can slow them.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "grader/grading/run/session.hpp"
#include "grader/platform/gpu/referee.hpp"
#include "grader/platform/sandbox/sandbox.hpp"

namespace opgrade {

/// File name of the empty submission for a GPU, among opgrade's own helper programs.
inline constexpr const char* kEmptyCallLibrary = "libopgrade_empty_call.so";

/// Holds a device from the fresh input to the start of the clock, and ends the clock by its proof.
class DeviceGate final : public CallGate {
 public:
  explicit DeviceGate(Referee& referee) : referee_(referee) {}
  bool holds() const override { return true; }
  void open() override;
  void look() override;

 private:
  Referee& referee_;
  std::chrono::steady_clock::time_point opened_;
};

/// A process that works with a device as a submission does, with an empty kernel for its call.
class EmptyCall {
 public:
  /// `library` is libopgrade_empty_call.so, which the sandbox's user must be able to read.
  EmptyCall(const Sandbox& sandbox, const std::filesystem::path& harness,
            const std::filesystem::path& library, Referee& referee);

  /// Times one call by the grader's clock, from the gate's opening to its proof; `prompt`: see
  /// run/session.hpp. Throws Error if the process fails.
  std::chrono::nanoseconds time(bool prompt);

  /// True once the process has failed.
  bool failed() const { return failed_; }

 private:
  [[noreturn]] void fail();

  Referee& referee_;
  DeviceGate gate_{referee_};
  Session session_;
  CallTensors tensors_;
  bool ready_ = false, failed_ = false;
};

/// A process that has started a device, whose call is on the host and does nothing.
class EmptyHostCall {
 public:
  /// `library`: see EmptyCall; `uuid` is the device's.
  EmptyHostCall(const Sandbox& sandbox, const std::filesystem::path& harness,
                const std::filesystem::path& library, const std::string& uuid);

  /// Times one call by the grader's clock until its reply. The process is stopped for the time
  /// `stopped` before the call: the longer, the deeper its cores sleep, which costs some 10 us.
  /// `prompt`: see run/session.hpp. Throws Error if the process fails.
  std::chrono::nanoseconds time(bool prompt, std::chrono::nanoseconds stopped);

  /// True once the process has failed.
  bool failed() const { return failed_; }

 private:
  [[noreturn]] void fail();

  Session session_;
  CallTensors tensors_;
  bool ready_ = false, failed_ = false;
};

/// Safe to use from several threads at once, each with a device of its own.
class CallCosts {
 public:
  /// `harness` and `empty_call` are programs that the sandbox's user must be able to read.
  CallCosts(const Sandbox& sandbox, std::filesystem::path harness,
            std::filesystem::path empty_call);

  /// The cost of a step that runs on the CPU, of a prolog or epilog, or of a step with device
  /// memory that the grader cannot open: see run/call_cost.hpp. Measured once.
  std::chrono::nanoseconds of_host();

  /// The process for this device, which lives on and is replaced after a failure. Call this before
  /// a case begins, because the process takes device memory.
  EmptyCall& on(Referee& referee);

  /// The process for a step that copies by itself on this device; it lives on likewise.
  EmptyHostCall& of_host_on(Referee& referee);

 private:
  const Sandbox& sandbox_;
  const std::filesystem::path harness_;
  const std::filesystem::path empty_call_;
  std::mutex guard_;
  std::optional<std::chrono::nanoseconds> host_;
  std::map<std::string, std::unique_ptr<EmptyCall>> on_;              ///< by the device's UUID
  std::map<std::string, std::unique_ptr<EmptyHostCall>> of_host_on_;  ///< likewise
};

}  // namespace opgrade
