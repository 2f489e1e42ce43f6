/// The device of a stage's cases, and the submission's process there.
#pragma once

#include <functional>
#include <future>
#include <string>

#include "grader/grading/cases/case_run.hpp"
#include "grader/grading/cases/layer/stage_process.hpp"
#include "grader/grading/device/gpu_pool.hpp"
#include "grader/grading/pipeline/grading_bench.hpp"
#include "grader/grading/pipeline/stage_build.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// Its functions do nothing for a stage without a GPU; run() still works.
class StageDevice {
 public:
  /// All arguments must outlive this object.
  StageDevice(const GradingBench& bench, const StageConfig& stage, const StageBuild& build);

  /// Begins to start the submission's process on an idle GPU, while the submission is built. Does
  /// nothing if no GPU is idle.
  void start_process();
  void await_start();

  /// Waits for the device, or for as many as the stage asks for. All cases of the submission share
  /// them, so that their times belong together. The process is launched before the wait.
  CaseDevice take_for_case(const StageContext& stage, const Listener& listen);
  /// Likewise, but without the process that cases share.
  CaseDevice take(const StageContext& stage);
  /// The lease of the first device, whose tensors the referee makes; an empty one without a device.
  const GpuPool::Lease& lease() const;
  const GpuPool::Leases& leases() const { return leases_; }

  /// See run_on().
  void run(const std::function<bool()>& work, const std::function<void()>& control = {});

  StageProcess& process() { return process_; }
  /// Ends the process that cases share. Returns false if it failed after its cases; each case that
  /// is then rerun has its own. Throws what run() throws.
  bool end_process();

  /// Releases the devices before work that needs none. Ends a process that served no case.
  void give_back();

 private:
  CaseContext built_on(Referee& gpu) const;
  bool may_start_ahead() const;

  const GradingBench& bench_;
  const StageBuild& build_;
  const StageContext ahead_;  ///< of a process that is started before its cases
  GpuPool::Leases leases_;
  /// Runs on the leased devices, so it is destroyed before the leases.
  StageProcess process_;
  bool is_process_shared_ = true;
  std::future<void> started_;  ///< writes `process_`
};

}  // namespace opgrade
