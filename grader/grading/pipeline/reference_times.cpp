#include "grader/grading/pipeline/reference_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "grader/base/core/case_time.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/cases/case_device.hpp"
#include "grader/grading/cases/case_run.hpp"
#include "grader/grading/cases/plan/chain_calls.hpp"
#include "grader/grading/device/device_lease.hpp"
#include "grader/grading/pipeline/stage_context.hpp"
#include "grader/report/words/note_words.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/case_rules.hpp"

namespace opgrade {

std::optional<double> ReferenceTimes::once(const Solution& solution, const StageConfig& stage,
                                           Device device, const OpTimeRule& rule) {
  const std::scoped_lock lock(guard_);
  const std::string key =
      fmt::format("{}/{}/{}/{}/{}/{}", solution.folder.string(), stage.name, name_of(device),
                  rule.model, rule.batch, static_cast<int>(rule.take));
  if (const auto found = times_.find(key); found != times_.end()) return found->second;
  return times_[key] = measure(solution, stage, device, rule);
}

std::optional<double> ReferenceTimes::measure(const Solution& solution, const StageConfig& stage,
                                              Device device, const OpTimeRule& rule) {
  const std::string id = case_name(rule.model, rule.batch);
  const auto listed = std::ranges::find_if(
      stage.cases, [&](const CaseConfig& one) { return rule.names(one.model, one.batch); });
  if (listed == stage.cases.end())
    throw Error(fmt::format("stage {} lists no case {}", stage.name, id), "list it below `cases`");
  const Listener& listen = bench_.options.listen;
  listen(events::ReferenceTimed{id, "", solution.serial});
  const TempDir folder("opgrade-reference-");
  Machine& machine = bench_.machine;
  const auto submission = build_reference(solution.folder, bench_.config, stage, device, false,
                                          machine.tools(), machine.sandbox(), folder.path());
  const auto threads = static_cast<int>(std::thread::hardware_concurrency());
  const StageContext shared = stage_context(bench_, stage, device, threads);
  GpuPool::Leases leases;
  const CaseDevice on = lease_device(shared, machine.gpus(), leases);
  const bool timed = device != Device::emulated;
  static const GpuPool::Lease kNone;
  const GpuPool::Lease& lease = leases.empty() ? kNone : leases.front();
  const auto turn = lock_for_timing(lease, timed);
  const auto cores = lease_cores(listed->threads, timed);
  if (const auto why = disturbed(lease, turn, cores); !why.empty())
    listen(events::ReferenceTimed{id, report::overlap_text(why), solution.serial});
  const CaseContext context{
      .stage = shared,
      .built = {.submission = submission},
      .on = on,
      .wants = {.threads = listed->threads, .cores = cores ? cores->cores() : std::vector<int>()}};
  const TimingConfig timing = timing_of(bench_.config, stage, *listed);
  const MakeCalls calls = calls_of(shared, *listed, std::mt19937_64(1));
  CaseReport report;
  run_on(leases, [&] {
    std::vector<Note> ignored;
    report = run_timed_case(context, calls, *listed, timing, ignored);
    return report.outcome == Outcome::passed;
  });
  if (report.outcome != Outcome::passed)
    throw Error(
        name_of_solution(solution.folder) + " failed: " + report::sentence_of(report.reason),
        "run `opgrade doctor`");
  return case_time(report, rule.take);
}

}  // namespace opgrade
