#include "grader/app/stage_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "grader/app/skipped_case.hpp"
#include "grader/app/stage_problems.hpp"
#include "grader/build/compiler_warnings.hpp"
#include "grader/cases/case_device.hpp"
#include "grader/cases/case_profile.hpp"
#include "grader/cases/chain_calls.hpp"
#include "grader/cases/explain_case.hpp"
#include "grader/cases/sanitize_run.hpp"
#include "grader/cases/varied_run.hpp"
#include "grader/cases/watched_run.hpp"
#include "grader/core/case_time.hpp"
#include "grader/core/fault_hint.hpp"
#include "grader/core/finding_kind.hpp"
#include "grader/core/phases.hpp"
#include "grader/core/printable.hpp"
#include "grader/device/device_lease.hpp"
#include "grader/process/interrupt.hpp"
#include "grader/report/diagnostics.hpp"
#include "grader/score/hopeless.hpp"
#include "grader/score/score_stage.hpp"
#include "grader/task/random_values.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

StageContext context_for(const GradingBench& bench, const StageConfig& stage, Device device,
                         CallSets* sets) {
  Machine& machine = bench.machine;
  StageContext context{
      .config = bench.config,
      .sandbox = machine.sandbox(),
      .harness = machine.harness(),
      .device = device,
      .steps = steps_of(bench.config, device),
      .tolerance = stage.tolerance.value_or(bench.config.tolerance),
      .threads = static_cast<int>(std::thread::hardware_concurrency()),
      .profiler = machine.profiler(),
      .sanitized_check = device == Device::cpu && !machine.tools().sanitizer_runtimes().empty(),
      .costs = &machine.costs(),
      .tensors = &bench.tensors,
      .staff = {bench.reference, sets}};
  if (device == Device::cuda)
    context.libraries = machine.tools().cuda_library_files(stage.libraries);
  return context;
}

/// Those of the submission in which something was counted.
void add_sources(ProfileReport& profile, const TakenFiles& files) {
  for (const TakenFile& file : files.files) {
    const auto name = fs::path(file.name).filename().string();
    const auto in_file = [&](const ProfileAccessRow& access) {
      return fs::path(access.file).filename() == name;
    };
    const bool counted = std::ranges::any_of(profile.counts, [&](const ProfileCountRow& row) {
      return std::ranges::any_of(row.accesses, in_file);
    });
    if (counted) profile.sources.push_back({name, printable(file.bytes)});
  }
}

/// In place of a case's report: what failed was not the submission.
CaseReport fault_of(const StageConfig& stage, const CaseReport& report, const std::exception& e) {
  CaseReport fault = skipped_case(Outcome::grader_fault, text_reason(e.what(), hint_for(e)));
  describe_case(case_of(stage, report.id), fault);
  fault.gpu = report.gpu;
  return fault;
}

}  // namespace

void prepare_tensors(const GradingBench& bench, const StageConfig& stage, Device device) {
  constexpr unsigned kCores = 8;
  if (device != Device::cuda || std::thread::hardware_concurrency() < kCores) return;
  const CaseConfig* largest = nullptr;
  double most = 0;
  for (const Case& c : bench.selection.cases(stage))
    if (const auto* const network = std::get_if<NetworkCase>(&c.kind))
      if (const double work = work_of(bench, c); work > most) {
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
                       std::vector<Reason>& notes)
    : bench_(bench),
      stage_(stage),
      build_(build),
      notes_(notes),
      sets_(bench.sets != nullptr ? bench.sets->for_submission(stage.name) : nullptr),
      shared_(context_for(bench, stage, build.device(), sets_.get())),
      process_(&bench.tensors),
      skip_policy_(bench.options.self_check ? SkipPolicy::Skip::all : SkipPolicy::Skip::larger) {}

void StageCases::start_process() {
  if (!may_start_ahead()) return;
  started_ = bench_.machine.on_idle_gpu(
      [this](Referee& device) { process_.start_device(plain_on({.gpu = &device})); });
}

CaseContext StageCases::plain_on(CaseDevice device) const {
  return {.stage = shared_, .built = plain(), .on = device};
}

Program StageCases::plain() const { return {.submission = build_.submission()}; }

PlanFacts StageCases::facts_of(const StageReport& report) const {
  PlanFacts facts{
      .config = bench_.config,
      .stage = stage_,
      .device = shared_.device,
      .represents = bench_.selection.to_profile(stage_, shared_.device),
      .profiles = bench_.options.profile,
      .advises = bench_.options.counts,
      .checks_itself = bench_.options.self_check,
      .exchanges_words = exchanges_words(build_.files()),
      .batches_run = stage_.random_batches.count > 0 && bench_.selection.has(batches_id(stage_)),
      .work = [this](const Case& c) { return work_of(bench_, c); },
      .is_small = [this](const Case& c) { return is_small(bench_, c); }};
  for (const CaseReport& c : report.cases) facts.cases.push_back(case_of(stage_, c.id));
  return facts;
}

void StageCases::run(StageReport& report, const FinishedCases& finished) {
  if (started_.valid()) started_.get();
  if (shared_.device == Device::cuda) {
    // As many submissions as there are devices run at once. Not asked before: it waits for them.
    shared_.threads /= std::clamp(bench_.machine.gpus().count(), 1, bench_.options.parallel_runs);
    shared_.threads = std::max(shared_.threads, 1);
    const Reason note = text_reason(bench_.machine.gpus().note());
    if (!note.empty() && std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
  }
  const std::vector<CasePlan> plans = plan_cases(facts_of(report));
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
    if (finished.keep) finished.keep(done, case_notes_);
    if (process_.cases() <= 1) together.clear();
    if (process_.has_served()) together.push_back(c);
  }
  if (!end_process(together)) {
    is_process_shared_ = false;
    for (const Running& c : together) {
      std::erase_if(case_notes_, [&](const Reason& note) { return note.about == c.report.id; });
      run_one(c);
    }
  }
  notes_.insert(notes_.end(), case_notes_.begin(), case_notes_.end());
  add_warnings(report);
  if (bench_.options.sanitize && shared_.device == Device::cuda && !report.cases.empty())
    sanitize_first(report);
  for (const CaseReport& c : report.cases)
    if (told_.at(c.id) != c.outcome) tell_outcome(c);
}

/// As if the case had run just now, for those after it.
bool StageCases::take_finished(const Running& c, const StageReport* had) {
  if (had == nullptr) return false;
  const auto found = std::ranges::find(had->cases, c.plan.what.id, &CaseReport::id);
  if (found == had->cases.end() || found->outcome == Outcome::grader_fault) return false;
  c.report = *found;
  if (c.plan.watch == Watch::layers) watched_networks_.insert(c.plan.network);
  skip_policy_.add(c.report, c.plan.work);
  tell_outcome(c.report);
  return true;
}

void StageCases::tell_outcome(const CaseReport& report) {
  told_[report.id] = report.outcome;
  bench_.options.listen(
      events::CaseFinished{report.id, report.hidden, report.outcome,
                           case_time(report, statistic_of(bench_.config, stage_, report))});
}

/// False if it failed after its cases, which then run again. Where the device fails, their reports
/// say so: no more is known of them.
bool StageCases::end_process(const std::vector<Running>& together) {
  if (!process_.has_served()) return true;
  bool ended_well = true;
  try {
    run_on(
        lease_, [&] { return ended_well = process_.end(); }, {},
        [&] { return process_.has_served(); });
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    for (const Running& c : together) c.report = fault_of(stage_, c.report, e);
    return true;
  }
  phase_over("end of the stage's process");
  return ended_well;
}

void StageCases::run_one(const Running& c) {
  const bool skipped =
      (c.plan.needs_time && skip_policy_.skips(c.report, c.plan.work)) ||
      (c.plan.needs_smaller && skip_policy_.skips_after_failure(c.report, c.plan.work));
  if (!skipped) run_builds(c);
  tell_outcome(c.report);
}

void StageCases::run_builds(const Running& c) {
  const CasePlan& plan = c.plan;
  CaseReport& report = c.report;
  if (const auto why = plan.is_watched() ? unwatchable() : std::nullopt) {
    CaseReport open = skipped_case(Outcome::not_emulated, *why);
    describe_case(plan.what, open);
    report = std::move(open);
    return;
  }
  run_on_device(c, builds_for(plan));
  if (plan.counts != Counts::none && build_.counting().submission.empty() &&
      report.outcome == Outcome::passed) {
    if (!report.profile) report.profile.emplace();
    report.profile->problem =
        "the build that counts failed: " + report::why_not_built(build_.counting().report);
  }
  if (report.profile) add_sources(*report.profile, build_.files());
  skip_policy_.add(report, plan.work);
  if (plan.sanitizers) run_with_checks(c);
}

/// Builds them before the case has a device, which others wait for.
StageCases::CaseBuilds StageCases::builds_for(const CasePlan& plan) {
  CaseBuilds builds{.deciding = plain()};
  if (plan.is_watched() && !build_.watching().submission.empty())
    builds.deciding = {.submission = build_.watching().submission, .watched = true};
  if (plan.watch == Watch::layers && watched_networks_.insert(plan.network).second)
    builds.layers = build_.watching().submission;
  if (plan.counts != Counts::none) builds.counting.submission = build_.counting().submission;
  builds.counting.decides = plan.counts == Counts::points;
  // A submission that knew the inputs could show this run another kernel.
  if (builds.counting.decides)
    builds.counting.seed = case_random(bench_.seed, plan.what.id + " counts")();
  return builds;
}

/// Why the compiler takes the sources only where nothing watches. They do not pass unwatched: a GPU
/// decides. Not for a limit, which instrumented code meets sooner.
std::optional<Reason> StageCases::unwatchable() {
  const BuildReport& build = build_.watching().report;
  if (build.outcome != Outcome::build_failed || build.reason.is<why::CompilerLimit>())
    return std::nullopt;
  return why::FailedWhenWatched{{build.reason}};
}

/// On a CPU. Nothing here changes an outcome.
void StageCases::run_with_checks(const Running& c) {
  CaseReport& report = c.report;
  if (report.outcome == Outcome::out_of_time || report.outcome == Outcome::grader_fault) return;
  const auto preloads = bench_.machine.tools().sanitizer_runtimes();
  if (preloads.empty()) return;
  try {
    const fs::path& checked = build_.watching().submission;
    if (checked.empty()) return;
    std::mt19937_64 random = case_random(bench_.seed, report.id);
    const CaseContext sanitized{.stage = shared_,
                                .built = {.submission = checked, .preloads = preloads}};
    c.plan.what.visit([](const CaseConfig&) {},
                      [&](const auto& kind) {
                        const auto problems = problems_of(bench_, shared_.device, kind, random);
                        run_with_sanitizers(sanitized, problems, random, report);
                      });
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    note_left_out(report.id, "run under the sanitizers", e.what());
  }
}

void StageCases::add_note(const std::string& id, std::string text) {
  case_notes_.push_back(text_reason(std::move(text)));
  case_notes_.back().about = id;
}

void StageCases::note_left_out(const std::string& id, const char* what, std::string_view why) {
  add_note(id, fmt::format("not {}: {}", what, why));
}

/// The compiler knew before.
void StageCases::add_warnings(StageReport& report) {
  const auto warnings = compiler_warnings(report.build.compiler_output, report.files);
  const auto unused_openmp = std::ranges::find_if(warnings, [](const Finding& warning) {
    return warning.message.find("-Wunknown-pragmas") != warning.message.npos &&
           warning.message.find("omp") != warning.message.npos;
  });
  if (unused_openmp != warnings.end())
    notes_.push_back(
        text_reason(fmt::format("{}: #pragma omp has no effect: the config's flags "
                                "lack -fopenmp (one thread)",
                                place_of(*unused_openmp))));
  for (CaseReport& c : report.cases) {
    if (c.outcome == Outcome::wrong_output || c.outcome == Outcome::wrong_accuracy ||
        c.outcome == Outcome::crashed || c.outcome == Outcome::out_of_time)
      explain_with(c, warnings);
  }
}

std::optional<double> StageCases::hopeless_of(const CasePlan& plan) const {
  return plan.what.visit(
      [&](const CaseConfig& timed) {
        return hopeless_ms(bench_.config, stage_, timed,
                           [&](const OpTimeRule& rule) { return work_of(bench_, stage_, rule); });
      },
      [](const auto&) { return std::optional<double>(); });
}

void StageCases::run_on_device(const Running& c, const CaseBuilds& builds) {
  const CasePlan& plan = c.plan;
  CaseReport& report = c.report;
  const std::string& id = plan.what.id;
  const bool timed = plan.what.is_timed() && shared_.device != Device::emulated;
  interrupt::check();
  const Listener& listen = bench_.options.listen;
  const bool hidden = weight_of(plan.what).hidden;
  const Listener on_wait = [&](Event event) {
    if (auto* const lock = std::get_if<events::LockAwaited>(&event)) lock->id = id;
    listen(event);
  };
  if (timed || shared_.device == Device::cuda) listen(events::TurnAwaited{id, hidden});
  std::optional<GpuId> gpu;
  try {
    if (shared_.device == Device::cuda) bench_.machine.await_device();
    const CaseContext context{.stage = shared_,
                              .built = builds.deciding,
                              .on = take_device(on_wait, launch_ahead()),
                              .profile = plan.profile,
                              .counting = builds.counting,
                              .hopeless_ms = hopeless_of(plan)};
    if (lease_.referee() != nullptr) gpu = lease_.gpu();
    phase_over("waiting for the device");
    const auto turn = lock_for_timing(lease_, timed, on_wait);
    if (const auto why = disturbed(lease_, turn); !why.empty()) add_note(id, why);
    listen(events::CaseStarted{id, hidden});
    const auto work = [&] {
      report = plan.what.visit(
          [&](const CaseConfig& listed) { return run_timed(plan, listed, context, builds.layers); },
          [&](const auto& kind) { return run_checked(plan, kind, context); });
      return report.outcome == Outcome::passed;
    };
    const auto control = [&] {
      if (could_be_device_fault(report, shared_.device)) bench_.control.check(stage_, context);
    };
    run_on(lease_, work, control, [&] { return process_.has_served(); });
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    interrupt::check();
    report = fault_of(stage_, report, e);
    if (gpu && lease_.referee() == nullptr) {
      add_note(id, fmt::format("{} ({}) failed and is not used any more; devices left: {}",
                               gpu->name, gpu->uuid, bench_.machine.gpus().count()));
    }
  }
  phase_over(id + ": case over");
  describe_case(plan.what, report);
  report.gpu = std::move(gpu);
}

/// The calls of all models, as each case would record them by itself.
void StageCases::expect_calls(const std::vector<CasePlan>& plans) {
  if (shared_.device != Device::cuda) return;
  const CaseContext context = plain_on({});
  for (const CasePlan& plan : plans)
    if (const auto* const network = std::get_if<NetworkCase>(&plan.what.kind)) {
      const auto calls = calls_of(context, *network->config, bench_.models, std::mt19937_64())();
      process_.outside_launches().expect(calls->with_parts(kSmallestBatch));
    }
}

CaseDevice StageCases::take_device(const Listener& listen, const GpuPool::Launch& launch) {
  const CaseDevice leased = lease_device(shared_, bench_.machine.gpus(), lease_, listen, launch);
  const bool shares = is_process_shared_ && shared_.device == Device::cuda;
  return {leased.gpu, leased.referee, shares ? &process_ : nullptr};
}

bool StageCases::may_start_ahead() const {
  // Threads of the driver, where a limit on processes is a user's: those that wait count, too.
  constexpr int kThreadsEach = 64;
  const int processes = bench_.options.parallel_runs + 1;
  return is_process_shared_ && shared_.device == Device::cuda &&
         bench_.config.run_limits.processes >= kThreadsEach * processes;
}

GpuPool::Launch StageCases::launch_ahead() {
  if (!may_start_ahead()) return {};
  return [this](Referee& device) { process_.launch(plain_on({.gpu = &device})); };
}

CaseReport StageCases::run_timed(const CasePlan& plan, const CaseConfig& listed,
                                 const CaseContext& context, const fs::path& layers) {
  const std::string& id = plan.what.id;
  std::vector<std::string> own;
  CaseConfig timed = listed;
  timed.timing = timing_of(bench_.config, stage_, timed);
  const MakeCalls calls = calls_of(context, timed, bench_.models, case_random(bench_.seed, id));
  JudgedCase judged = run_timed_case(context, calls, timed, own);
  if (!layers.empty())
    watch_layers(shared_, layers, model_of(bench_.models, bench_.config, timed.model),
                 case_random(bench_.seed, id), judged, own);
  vary_on_device(plan, context, judged, [&](const CaseContext& how) {
    std::vector<std::string> ignored;
    return run_timed_case(how, calls, timed, ignored);
  });
  for (auto& note : own) add_note(id, std::move(note));
  return judged;
}

void StageCases::vary_on_device(const CasePlan& plan, const CaseContext& context, JudgedCase& c,
                                const std::function<JudgedCase(const CaseContext&)>& run) {
  if (!plan.vary) return;
  const auto rerun = [&](const DeviceVariation& how) {
    return run({.stage = shared_,
                .built = {.submission = (how.watched ? context.built : plain()).submission,
                          .watched = how.watched,
                          .variation = how.environment}});
  };
  rerun_varied(c, context.built.watched, rerun);
  if (plan.interleave) interleave(c, rerun);
}

CaseReport StageCases::run_checked(const CasePlan& plan, const auto& kind,
                                   const CaseContext& context) {
  std::mt19937_64 random = case_random(bench_.seed, plan.what.id);
  const auto problems = problems_of(bench_, shared_.device, kind, random);
  const auto run = [&](const CaseContext& how) { return run_problems_case(how, problems, random); };
  JudgedCase judged = context.built.watched && plan.watch == Watch::small_batches
                          ? watch_small(context, build_.submission(), problems, random)
                          : run(context);
  vary_on_device(plan, context, judged, run);
  if (plan.races) find_races(plan.what.id, problems, random, judged);
  return judged;
}

void StageCases::find_races(const std::string& id, const std::vector<NamedProblem>& problems,
                            const std::mt19937_64& random, JudgedCase& judged) {
  const auto preloads = bench_.machine.tools().sanitizer_runtimes(true);
  const Compiled* const racing = preloads.empty() ? nullptr : &build_.racing();
  if (racing != nullptr && racing->report.outcome == Outcome::build_failed)
    return fail_when_watched(judged, {racing->report.outcome, racing->report.reason});
  if (racing == nullptr || racing->submission.empty())
    return note_left_out(id, "checked for data races", "g++ has no thread sanitizer here");
  if (const auto why = look_for_races(
          {.stage = shared_, .built = {.submission = racing->submission, .preloads = preloads}},
          problems, random, judged))
    note_left_out(id, "checked for data races", *why);
}

void StageCases::sanitize_first(StageReport& report) {
  const auto sanitizer = find_sanitizer(*bench_.machine.tools().cuda_root);
  if (!sanitizer) {
    notes_.push_back(
        why::ComputeSanitizer{"the CUDA toolkit has no compute-sanitizer: its tools were not run"});
    return;
  }
  bench_.options.listen(events::SanitizerStarted{report.name});
  SanitizeResult result;
  try {
    const CaseContext context = plain_on(take_device({}, {}));
    run_on(lease_, [&] {
      result = sanitize(context, *sanitizer);
      return result.problems.empty() && result.findings.empty();
    });
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    // The cases have their verdicts already.
    notes_.push_back(why::ComputeSanitizer{
        fmt::format("{}: compute-sanitizer was not run: {}", report.name, e.what())});
    return;
  }
  for (const auto& problem : result.problems) notes_.push_back(why::ComputeSanitizer{problem});
  if (result.problems.empty() && result.findings.empty()) {
    notes_.push_back(why::ComputeSanitizer{report.name + ": compute-sanitizer found nothing"});
  }
  add_findings(report.cases.front(), result.findings);
}

}  // namespace opgrade
