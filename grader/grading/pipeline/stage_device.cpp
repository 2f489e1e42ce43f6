#include "grader/grading/pipeline/stage_device.hpp"

#include "grader/base/core/phases.hpp"
#include "grader/grading/cases/case_device.hpp"
#include "grader/grading/pipeline/stage_context.hpp"

namespace opgrade {

StageDevice::StageDevice(const GradingBench& bench, const StageConfig& stage,
                         const StageBuild& build)
    : bench_(bench),
      build_(build),
      ahead_(stage_context(bench, stage, build.device(), 1)),
      process_(&bench.tensors) {}

CaseContext StageDevice::built_on(Referee& gpu) const {
  return {.stage = ahead_, .built = {.submission = build_.submission()}, .on = {.gpu = &gpu}};
}

bool StageDevice::may_start_ahead() const {
  // Threads of the driver. A limit on processes may be a user's: those of waiting ones count, too.
  constexpr int kThreadsEach = 64;
  const int processes = bench_.options.parallel_runs + 1;
  return is_process_shared_ && ahead_.device == Device::cuda && ahead_.gpus == 1 &&
         bench_.config.run_limits.processes >= kThreadsEach * processes;
}

void StageDevice::start_process() {
  if (!may_start_ahead()) return;
  started_ = bench_.machine.on_idle_gpu(
      [this](Referee& device) { process_.start_device(built_on(device)); });
}

void StageDevice::await_start() {
  if (started_.valid()) started_.get();
}

CaseDevice StageDevice::take_for_case(const StageContext& stage, const Listener& listen) {
  GpuPool::Launch launch;
  if (may_start_ahead()) launch = [this](Referee& device) { process_.launch(built_on(device)); };
  CaseDevice on = lease_device(stage, bench_.machine.gpus(), leases_, listen, launch);
  if (is_process_shared_ && stage.device == Device::cuda) on.process = &process_;
  return on;
}

CaseDevice StageDevice::take(const StageContext& stage) {
  return lease_device(stage, bench_.machine.gpus(), leases_);
}

const GpuPool::Lease& StageDevice::lease() const {
  static const GpuPool::Lease kNone;
  return leases_.empty() ? kNone : leases_.front();
}

void StageDevice::run(const std::function<bool()>& work, const std::function<void()>& control) {
  run_on(leases_, work, control, [this] { return process_.has_served(); });
}

bool StageDevice::end_process() {
  if (!process_.has_served()) return true;
  run([this] { return is_process_shared_ = process_.end(); });
  phase_over("end of the stage's process");
  return is_process_shared_;
}

void StageDevice::give_back() {
  process_.end();
  leases_.clear();
}

}  // namespace opgrade
