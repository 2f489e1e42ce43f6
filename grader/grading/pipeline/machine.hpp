/// The machine as one grader uses it: sandbox, compilers, GPUs and opgrade's own programs.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "grader/base/core/device.hpp"
#include "grader/base/core/grade.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/build/toolchain.hpp"
#include "grader/grading/cases/rerun/profile_run.hpp"
#include "grader/grading/device/call_costs.hpp"
#include "grader/grading/device/gpu_pool.hpp"
#include "grader/platform/sandbox/sandbox.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/interface/interface.hpp"

namespace opgrade {

/// Safe to use from several threads at once, after get_ready().
class Machine {
 public:
  struct Wants {
    bool gpu = false;                  ///< a stage runs on one
    std::optional<Device> gpu_device;  ///< where cuda stages run; absent: the machine finds out
    bool unsafe = false;               ///< grade although there is no sandbox
    int parallel_runs = 1;             ///< parallel submissions
    bool whole_class = false;          ///< many submissions: what their builds share is made once
  };

  /// Begins to look for GPUs. Throws Error if the sandbox is not the one that the config requires.
  Machine(const Config& config, Wants wants);

  /// Begins to try the first GPU. For a whole class it waits for the result, as await_device()
  /// does.
  void get_ready();

  /// Throws Error if the GPU does not work in the sandbox.
  void await_device() const;

  /// Where a stage runs, or what this machine lacks for it.
  tl::expected<Device, why::NoDevice> resolve(const StageConfig& stage) const;
  /// True if stages for a GPU run on the emulated device although the command does not ask for it.
  bool emulates_unasked() const;

  /// For the libraries of a stage and the submission's processes.
  const Toolchain& tools() const { return tools_; }
  const Sandbox& sandbox() const { return sandbox_; }
  const std::filesystem::path& harness() const { return harness_; }
  const ProfilerFiles& profiler() const { return profiler_; }
  GpuPool& gpus() { return gpus_; }
  CallCosts& costs() { return costs_; }

  /// Calls `work` with the first free GPU on a thread of its own, after the grader's own process
  /// there has started. Does nothing if the GPU is in use then. An error is reported when the GPU
  /// is used.
  std::future<void> on_idle_gpu(std::function<void(Referee&)> work);

  /// Toolchain::cuda_version() if a stage runs on a GPU, else empty.
  const std::string& cuda_version() const { return cuda_version_.get(); }

  /// The interface's adapter for a GPU, from an earlier grading or compiled during the first build.
  /// Empty until it is there, because waiting would take longer than compiling it with the
  /// submission. If there are several exercises, only the first one's adapter is made ahead.
  std::filesystem::path adapter_object(const Interface& interface) const;

  /// For the grade; `started` is now.
  MachineReport report() const;

 private:
  void try_device();
  void prepare_adapter();

  const Config& config_;
  const Wants wants_;
  GpuPool gpus_;  ///< before the others, because it gets ready while the rest does
  std::future<std::optional<std::string>> architecture_;  ///< to build for; likewise
  Sandbox sandbox_;
  Toolchain tools_;
  TempDir programs_;  ///< which the sandbox's user may read
  const std::filesystem::path harness_;
  ProfilerFiles profiler_;
  const Interface* adapter_of_ = nullptr;
  std::shared_future<std::filesystem::path> adapter_object_;
  CallCosts costs_;
  std::shared_future<std::string> cuda_version_;
  std::shared_future<void> tried_;  ///< the first GPU
  std::future<void> empty_call_;    ///< starts the process of CallCosts during the first build
};

/// The processor's name, as the system gives it.
std::string processor_name();

}  // namespace opgrade
