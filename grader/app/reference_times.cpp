#include "grader/app/reference_times.hpp"

#include <fmt/format.h>

#include <random>
#include <thread>
#include <vector>

#include "grader/app/reference_build.hpp"
#include "grader/cases/case_device.hpp"
#include "grader/cases/case_run.hpp"
#include "grader/cases/plan/chain_calls.hpp"
#include "grader/core/case_time.hpp"
#include "grader/core/error.hpp"
#include "grader/core/temp_dir.hpp"
#include "grader/device/device_lease.hpp"
#include "grader/report/reason_words.hpp"
#include "grader/score/score_stage.hpp"

namespace opgrade {

std::optional<double> ReferenceTimes::of(const StageConfig& stage, Device device,
                                         const OpTimeRule& rule) {
  const std::scoped_lock lock(guard_);
  const std::string key = fmt::format("{}/{}/{}/{}/{}", stage.name, name_of(device), rule.model,
                                      rule.batch, static_cast<int>(rule.take));
  if (const auto found = times_.find(key); found != times_.end()) return found->second;
  return times_[key] = measure(stage, device, rule);
}

std::optional<double> ReferenceTimes::measure(const StageConfig& stage, Device device,
                                              const OpTimeRule& rule) {
  const std::string id = case_name(rule.model, rule.batch);
  listen_(events::ReferenceTimed{id, ""});
  const TempDir folder("opgrade-reference-");
  const auto submission = build_reference(config_, stage, device, false, machine_.tools(),
                                          machine_.sandbox(), folder.path());
  StageContext stage_context{.config = config_,
                             .sandbox = machine_.sandbox(),
                             .harness = machine_.harness(),
                             .device = device,
                             .steps = steps_of(config_, device),
                             .threads = static_cast<int>(std::thread::hardware_concurrency()),
                             .costs = &machine_.costs(),
                             .staff = {reference_}};
  if (device == Device::cuda)
    stage_context.libraries = machine_.tools().cuda_library_files(stage.libraries);
  GpuPool::Lease lease;
  const CaseContext context{.stage = stage_context,
                            .built = {.submission = submission},
                            .on = lease_device(stage_context, machine_.gpus(), lease)};
  const auto turn = lock_for_timing(lease, device != Device::emulated);
  if (const auto why = disturbed(lease, turn); !why.empty())
    listen_(events::ReferenceTimed{id, why});
  CaseConfig wanted{.model = rule.model, .batch = rule.batch};
  for (const auto& listed : stage.cases) {
    if (listed.model != rule.model || listed.batch != rule.batch) continue;
    wanted.sizes = listed.sizes;
    wanted.timing = timing_of(config_, stage, listed);
  }
  CaseReport report;
  run_on(lease, [&] {
    std::vector<std::string> ignored;
    report = run_timed_case(context, calls_of(context, wanted, models_, std::mt19937_64(1)), wanted,
                            ignored);
    return report.outcome == Outcome::passed;
  });
  if (report.outcome != Outcome::passed)
    throw Error("the reference solution failed: " + report::sentence_of(report.reason),
                "run `opgrade doctor`");
  return case_time(report, rule.take);
}

}  // namespace opgrade
