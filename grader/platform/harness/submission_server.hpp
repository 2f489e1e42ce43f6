/// Serves the grader's requests with a loaded submission.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "grader/platform/harness/channel.hpp"
#include "grader/platform/harness/mapped_tensor.hpp"
#include "grader/platform/harness/protocol.hpp"
#include "grader/platform/harness/step_profiler.hpp"
#include "grader/platform/harness/submission_abi.h"

namespace opgrade::harness {

class SubmissionServer {
 public:
  enum class Form { function, program };

  explicit SubmissionServer(protocol::CallPage* page, Form form = Form::function)
      : page_(page), is_program_(form == Form::program) {}

  void load(const char* path, protocol::Reply& reply);

  /// Answers requests until the grader hangs up or asks to finish.
  void serve();

 protected:
  /// What the device reports when a step has ended; 0 without a device.
  struct DeviceEnd {
    int status = 0;
    const char* error = nullptr;
  };

  void map(const protocol::Request& request, Files& files, protocol::Reply& reply);
  void prepare(protocol::Kind step, protocol::Reply& reply);
  void run_step(const protocol::Request& request);
  DeviceEnd device_end() const;
  void step_over(protocol::Reply& reply);
  void complete(const protocol::Reply& reply, std::uint32_t sequence);
  void begin_profile(protocol::Reply& reply, int layers = 0);
  void end_profile(protocol::Reply& reply, int file);

  void* library_ = nullptr;
  const opgrade_submission* submission_ = nullptr;
  opgrade_call call_{};
  /// For a program that exits: the device's report before the CUDA runtime's own handlers run.
  std::optional<DeviceEnd> device_end_at_exit_;

 private:
  using Clock = std::chrono::steady_clock;

  void send_findings() const;
  void release();
  void end_case();
  void call(void (*step)(opgrade_call*), const char* kind, protocol::Reply& reply);
  void share(protocol::Reply& reply);

  protocol::CallPage* const page_;
  const bool is_program_;
  void (*call_begins_)() = nullptr;  ///< of the emulated device; null for others
  StepProfiler profiler_;
  bool to_release_ = false;
  std::uint32_t prompt_ = 0;  ///< sequence of the current step, if that is prompt
  bool said_done_ = false;
  Clock::time_point begin_;  ///< begin of the current step
  std::array<MappedTensor, OPGRADE_MAX_BUFFERS> buffers_;
  MappedTensor output_before_;
};

}  // namespace opgrade::harness
