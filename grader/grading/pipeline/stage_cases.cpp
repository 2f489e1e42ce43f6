#include "grader/grading/pipeline/stage_cases.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "grader/base/core/case_time.hpp"
#include "grader/base/core/fault_hint.hpp"
#include "grader/base/core/finding_kind.hpp"
#include "grader/base/core/phases.hpp"
#include "grader/grading/build/compiler_warnings.hpp"
#include "grader/grading/cases/plan/chain_calls.hpp"
#include "grader/grading/cases/rerun/case_profile.hpp"
#include "grader/grading/cases/verdict/explain_case.hpp"
#include "grader/grading/device/device_lease.hpp"
#include "grader/grading/pipeline/skipped_case.hpp"
#include "grader/grading/pipeline/stage_context.hpp"
#include "grader/grading/pipeline/stage_problems.hpp"
#include "grader/grading/pipeline/stage_tools.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
namespace {

/// CaseConfig::threads; 0 for a case that is not timed.
int threads_wanted(const Case& c) {
  return c.visit([](const CaseConfig& timed) { return timed.threads; },
                 [](const auto&) { return 0; });
}

/// As many submissions run at once as there are devices; count() waits until these are found.
int threads_of(Device device, const GpuPool& gpus, int parallel_runs) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  if (device != Device::cuda) return cores;
  const int runs = std::clamp(gpus.count(), 1, parallel_runs);
  return std::max(cores / runs, 1);
}

/// Replaces a case's report if what failed was not the submission.
CaseReport fault_of(const StageConfig& stage, const CaseReport& report, const std::exception& e) {
  CaseReport fault = skipped_case(Outcome::grader_fault, text_reason(e.what(), hint_for(e)));
  describe_case(case_of(stage, report.id), fault);
  fault.gpu = report.gpu;
  return fault;
}

/// Adds the compiler's warnings to failed cases, whose mistake the compiler may have seen.
void add_warnings(StageReport& report, std::vector<Note>& notes) {
  const auto warnings = compiler_warnings(report.build.compiler_output, report.files);
  const auto unused_openmp = std::ranges::find_if(warnings, [](const Finding& warning) {
    return warning.message.find("-Wunknown-pragmas") != warning.message.npos &&
           warning.message.find("omp") != warning.message.npos;
  });
  if (unused_openmp != warnings.end()) notes.push_back(notes::OpenMpIgnored{*unused_openmp});
  for (CaseReport& c : report.cases) {
    if (c.outcome == Outcome::wrong_output || c.outcome == Outcome::wrong_accuracy ||
        c.outcome == Outcome::crashed || c.outcome == Outcome::out_of_time)
      explain_with(c, warnings);
  }
}

}  // namespace

void prepare_tensors(const GradingBench& bench, const StageConfig& stage, Device device) {
  constexpr unsigned kCores = 8;
  if (device != Device::cuda || std::thread::hardware_concurrency() < kCores) return;
  const CaseConfig* largest = nullptr;
  double most = 0;
  for (const Case& c : bench.selection.cases(stage))
    if (const auto* const network = std::get_if<NetworkCase>(&c.kind))
      if (const double work = work_of(bench.models, bench.config, stage, c); work > most) {
        largest = network->config;
        most = work;
      }
  if (largest == nullptr) return;
  try {
    const Model& model = model_of(bench.models, bench.config, largest->model);
    bench.tensors.prepare(call_shapes(model.problems(largest->batch)));
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception&) {
    // The case itself will say so.
  }
}

StageCases::StageCases(const GradingBench& bench, const StageConfig& stage, StageBuild& build,
                       StageDevice& device, CallSets* sets, GradedAt at, std::vector<Note>& notes)
    : bench_(bench),
      stage_(stage),
      build_(build),
      device_(device),
      graded_at_(at),
      notes_(notes),
      context_(stage_context(
          bench, stage, build.device(),
          threads_of(build.device(), bench.machine.gpus(), bench.options.parallel_runs), sets)),
      cases_(bench, stage, context_, build, case_notes_),
      skip_policy_(bench.options.self_check ? SkipPolicy::Skip::all : SkipPolicy::Skip::larger) {}

PlanFacts StageCases::facts_of(const StageReport& report) const {
  PlanFacts facts{
      .config = bench_.config,
      .stage = stage_,
      .device = context_.device,
      .represents = bench_.selection.to_profile(stage_, context_.device),
      .profiles = bench_.options.profile,
      .advises = bench_.options.counts,
      .checks_itself = bench_.options.self_check,
      .watches =
          bench_.machine.tools().cxx_can_watch || bench_.config.findings == FindingsRule::decide,
      .exchanges_words = exchanges_words(build_.files()),
      .works_asynchronously = works_asynchronously(build_.files()),
      .batches_run = stage_.random_batches.count > 0 && bench_.selection.has(batches_id(stage_)) &&
                     !waits_for_deadline(graded_at_, case_of(stage_, batches_id(stage_))),
      .work = [this](const Case& c) { return work_of(bench_.models, bench_.config, stage_, c); },
      .is_small =
          [this](const Case& c) { return is_small(bench_.models, bench_.config, stage_, c); }};
  for (const CaseReport& c : report.cases) facts.cases.push_back(case_of(stage_, c.id));
  return facts;
}

void StageCases::run(StageReport& report, const FinishedCases& finished) {
  device_.await_start();
  if (context_.device == Device::cuda) {
    const GpuPool& gpus = bench_.machine.gpus();
    const Note note = notes::UnusedGpus{gpus.unused(), gpus.model()};
    if (!gpus.unused().empty() && std::ranges::find(notes_, note) == notes_.end())
      notes_.push_back(note);
  }
  const PlanFacts facts = facts_of(report);
  if (context_.device == Device::emulated && !facts.watches)
    notes_.emplace_back(notes::AccessesNotWatched{});
  const std::vector<CasePlan> plans = plan_cases(facts);
  expect_calls(plans);
  std::vector<Running> together;  // the cases that the stage's process has served
  StageReport done = report;
  done.cases.clear();
  for (const CasePlan& plan : plans) {
    const Running c{plan, *std::ranges::find(report.cases, plan.what.id, &CaseReport::id)};
    const bool had = take_finished(c, finished.had);
    if (!had) run_one(c);
    if (c.report.outcome != Outcome::grader_fault) done.cases.push_back(c.report);
    if (had) continue;
    if (finished.keep) finished.keep(done, case_notes_.all());
    if (device_.process().cases() <= 1) together.clear();
    if (device_.process().has_served()) together.push_back(c);
  }
  if (!end_process(together))
    for (const Running& c : together) {
      case_notes_.forget(c.report.id);
      run_one(c);
    }
  notes_.insert(notes_.end(), case_notes_.all().begin(), case_notes_.all().end());
  add_warnings(report, notes_);
  run_tools(bench_, stage_, context_, build_, device_, report, notes_);
  for (const CaseReport& c : report.cases)
    if (told_.at(c.id) != c.outcome) tell_outcome(c);
}

/// Treats the case as if it had run just now, for the cases after it.
bool StageCases::take_finished(const Running& c, const StageReport* had) {
  if (had == nullptr) return false;
  const auto found = std::ranges::find(had->cases, c.plan.what.id, &CaseReport::id);
  if (found == had->cases.end() || found->outcome == Outcome::grader_fault) return false;
  c.report = *found;
  cases_.count_as_run(c.plan);
  skip_policy_.add(c.report, c.plan.work, threads_wanted(c.plan.what));
  times_.add(c.report, c.plan.work);
  tell_outcome(c.report);
  return true;
}

void StageCases::tell_outcome(const CaseReport& report) {
  told_[report.id] = report.outcome;
  bench_.options.listen(
      events::CaseFinished{report.id, report.hidden, report.outcome,
                           case_time(report, statistic_of(bench_.config, stage_, report))});
}

bool StageCases::end_process(const std::vector<Running>& together) {
  try {
    return device_.end_process();
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    for (const Running& c : together) c.report = fault_of(stage_, c.report, e);
    return true;
  }
}

void StageCases::run_one(const Running& c) {
  if (waits_for_deadline(graded_at_, c.plan.what)) {
    c.report = skipped_case(Outcome::not_run, why::RunsAtDeadline{});
    describe_case(c.plan.what, c.report);
    tell_outcome(c.report);
    return;
  }
  const bool skipped =
      (c.plan.needs_time &&
       skip_policy_.skips(c.report, c.plan.work, threads_wanted(c.plan.what))) ||
      (c.plan.needs_smaller && skip_policy_.skips_after_failure(c.report, c.plan.work));
  if (!skipped) run_builds(c);
  tell_outcome(c.report);
}

void StageCases::run_builds(const Running& c) {
  if (const auto why = cases_.unwatchable(c.plan)) {
    c.report = skipped_case(Outcome::not_emulated, *why);
    describe_case(c.plan.what, c.report);
    return;
  }
  run_on_device(c, cases_.builds_for(c.plan));
  skip_policy_.add(c.report, c.plan.work, threads_wanted(c.plan.what));
  times_.add(c.report, c.plan.work);
  cases_.finish(c.plan, c.report);
}

TimeLimits StageCases::limits_of(const CasePlan& plan) const {
  TimeLimits limits;
  plan.what.visit(
      [&](const CaseConfig& listed) {
        const auto work = [&](const OpTimeRule& rule) {
          return work_of(bench_.models, bench_.config, stage_, rule, bench_.machine.gpus());
        };
        limits.hopeless_ms = hopeless_ms(bench_.config, stage_, listed, work);
        limits.far_behind_ms =
            far_behind_ms(bench_.config, stage_, listed, work, bench_.ranked.far_behind_ms());
      },
      [](const auto&) {});
  if (limits.hopeless_ms) limits.expected_ms = times_.least_beyond(*limits.hopeless_ms, plan.work);
  return limits;
}

void StageCases::run_on_device(const Running& c, const CaseBuilds& builds) {
  const CasePlan& plan = c.plan;
  CaseReport& report = c.report;
  const std::string& id = plan.what.id;
  const bool timed = plan.what.is_timed() && context_.device != Device::emulated;
  interrupt::check();
  const Listener& listen = bench_.options.listen;
  const bool hidden = weight_of(plan.what).hidden;
  const Listener on_wait = [&](Event event) {
    if (auto* const lock = std::get_if<events::LockAwaited>(&event)) lock->id = id;
    listen(event);
  };
  if (timed || context_.device == Device::cuda) listen(events::TurnAwaited{id, hidden});
  std::vector<GpuId> gpus;
  std::optional<Reason> untimed;
  try {
    if (context_.device == Device::cuda) bench_.machine.await_device();
    const TimeLimits limits = limits_of(plan);
    const int threads = plan.what.visit([](const CaseConfig& listed) { return listed.threads; },
                                        [](const auto&) { return 0; });
    CaseDevice on = device_.take_for_case(context_, on_wait);
    // A process has its threads and cores from its start.
    if (threads > 0) on = on.without_process();
    const GpuPool::Lease& lease = device_.lease();
    for (const GpuPool::Lease& one : device_.leases()) gpus.push_back(one.gpu());
    phase_over("waiting for the device");
    const auto turn = lock_for_timing(lease, timed, on_wait);
    const auto cores = lease_cores(threads, timed, on_wait);
    if (const auto why = disturbed(lease, turn, cores); !why.empty())
      case_notes_.add(id, notes::MayOverlap{why});
    if (timed && threads > 0 && !cores)
      untimed = why::TooFewCores{threads, static_cast<int>(usable_cores().size())};
    const CaseContext context{.stage = context_,
                              .built = builds.deciding,
                              .on = on,
                              .wants = {.profile = plan.profile,
                                        .counting = builds.counting,
                                        .limits = limits,
                                        .threads = threads,
                                        .cores = cores ? cores->cores() : std::vector<int>()}};
    listen(events::CaseStarted{id, hidden});
    const auto work = [&] {
      report = cases_.run(plan, context, builds);
      return report.outcome == Outcome::passed;
    };
    const auto control = [&] {
      if (could_be_device_fault(report, context_.device)) bench_.control.check(stage_, context);
    };
    device_.run(work, control);
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    interrupt::check();
    report = fault_of(stage_, report, e);
    for (std::size_t i = 0; i < gpus.size() && i < device_.leases().size(); ++i)
      if (device_.leases()[i].referee() == nullptr)
        case_notes_.add(id, notes::GpuFailed{gpus[i], bench_.machine.gpus().count()});
  }
  phase_over(id + ": case over");
  describe_case(plan.what, report);
  if (!gpus.empty()) report.gpu = gpus.front();
  report.untimed = std::move(untimed);
}

/// Expects the calls of all models, as each case would record them by itself.
void StageCases::expect_calls(const std::vector<CasePlan>& plans) {
  if (context_.device != Device::cuda) return;
  for (const CasePlan& plan : plans)
    if (const auto* const network = std::get_if<NetworkCase>(&plan.what.kind)) {
      const auto calls = calls_of(context_, *network->config, std::mt19937_64())();
      device_.process().outside_launches().expect(calls->with_parts(kSmallestBatch));
    }
}

}  // namespace opgrade
