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
#include "grader/score/score_stage.hpp"
#include "grader/task/random_values.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

StageContext context_for(const GradingBench& bench, const StageConfig& stage, Device device) {
  Machine& machine = bench.machine;
  StageContext context{
      .config = bench.config,
      .sandbox = machine.sandbox(),
      .harness = machine.harness(),
      .device = device,
      .steps = steps_of(find_interface(bench.config.interface), device),
      .tolerance = stage.tolerance.value_or(bench.config.tolerance),
      .threads = static_cast<int>(std::thread::hardware_concurrency()),
      .profiler = machine.profiler(),
      .sanitized_check = device == Device::cpu && !machine.tools().sanitizer_runtimes().empty(),
      .costs = &machine.costs(),
      .tensors = &bench.tensors};
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
  describe_case(stage, report.id, fault);
  fault.gpu = report.gpu;
  return fault;
}

}  // namespace

void prepare_tensors(const GradingBench& bench, const StageConfig& stage, Device device) {
  constexpr unsigned kCores = 8;
  if (device != Device::cuda || std::thread::hardware_concurrency() < kCores) return;
  const CaseConfig* largest = nullptr;
  for (const CaseConfig& wanted : stage.cases) {
    if (!wanted.sizes.empty() || !bench.selection.has(case_id(stage, wanted))) continue;
    if (largest == nullptr || work_of(bench, wanted) > work_of(bench, *largest)) largest = &wanted;
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
      shared_(context_for(bench, stage, build.device())),
      context_{.stage = shared_, .built = {.submission = build.submission()}},
      process_(&bench.tensors),
      skip_policy_(bench.options.self_check ? SkipPolicy::Skip::all : SkipPolicy::Skip::larger) {
  shared_.sets = sets_.get();
  if (context_.stage.device == Device::cuda) context_.on.process = &process_;
  if (stage.random_batches.count > 0 && bench_.selection.has(batches_id(stage)))
    watched_networks_.insert(bench_.config.models.at(stage.random_batches.model).network);
}

void StageCases::start_process() {
  if (!may_start_ahead()) return;
  started_ = bench_.machine.on_idle_gpu(
      [this](Referee& device) { process_.start_device(context_on(device)); });
}

CaseContext StageCases::context_on(Referee& device) const {
  CaseContext there = context_;
  there.on.gpu = &device;
  return there;
}

void StageCases::run(StageReport& report) {
  if (started_.valid()) started_.get();
  if (context_.stage.device == Device::cuda) {
    // As many submissions as there are devices run at once. Not asked before: it waits for them.
    shared_.threads /= std::clamp(bench_.machine.gpus().count(), 1, bench_.options.parallel_runs);
    shared_.threads = std::max(shared_.threads, 1);
    const Reason note = text_reason(bench_.machine.gpus().note());
    if (!note.empty() && std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
  }
  expect_calls(report);
  for (CaseReport* const c : in_order(report)) {
    run_one(*c);
    tell_outcome(*c);
    if (process_.cases() <= 1) together_.clear();
    if (process_.has_served()) together_.push_back(c);
  }
  if (!end_process()) {
    context_.on.process = nullptr;
    for (CaseReport* const c : together_) {
      std::erase_if(case_notes_, [&](const Reason& note) { return note.about == c->id; });
      run_one(*c);
      tell_outcome(*c);
    }
  }
  notes_.insert(notes_.end(), case_notes_.begin(), case_notes_.end());
  add_warnings(report);
  if (bench_.options.sanitize && context_.stage.device == Device::cuda && !report.cases.empty())
    sanitize_first(report);
  for (const CaseReport& c : report.cases)
    if (told_.at(c.id) != c.outcome) tell_outcome(c);
}

/// What is cheap and decides comes first.
std::vector<CaseReport*> StageCases::in_order(StageReport& report) const {
  std::vector<std::pair<std::pair<bool, double>, CaseReport*>> all;
  for (CaseReport& c : report.cases) {
    const CaseConfig* const wanted = model_case(stage_, c.id);
    all.push_back({{c.advice, wanted != nullptr ? work_of(bench_, *wanted) : 0}, &c});
  }
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  std::vector<CaseReport*> order;
  for (const auto& [key, c] : all) order.push_back(c);
  return order;
}

void StageCases::tell_outcome(const CaseReport& report) {
  told_[report.id] = report.outcome;
  bench_.options.listen(
      events::CaseFinished{report.id, report.hidden, report.outcome,
                           case_time(report, statistic_of(bench_.config, stage_, report))});
}

/// False if it failed after its cases, which then run again. Where the device fails, their reports
/// say so: no more is known of them.
bool StageCases::end_process() {
  if (!process_.has_served()) return true;
  bool ended_well = true;
  try {
    run_on(
        lease_, [&] { return ended_well = process_.end(); }, {},
        [&] { return process_.has_served(); });
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    for (CaseReport* const c : together_) *c = fault_of(stage_, *c, e);
    return true;
  }
  phase_over("end of the stage's process");
  return ended_well;
}

void StageCases::run_one(CaseReport& report) {
  context_.built.submission = build_.plain().submission;
  context_.built.watched = false;
  const bool represents = bench_.selection.to_profile(stage_, context_.stage.device) == report.id;
  context_.profile = bench_.options.profile && represents;
  const bool advises =
      bench_.options.counts && represents && context_.stage.device == Device::emulated;
  const bool has_rule = std::ranges::any_of(
      stage_.counts, [&](const CountRule& rule) { return applies_to(rule, report); });
  const bool counts = advises || has_rule;
  context_.built.counting = counts ? build_.counting().submission : fs::path();
  context_.built.counts_decide = has_rule;
  // A submission that knew the inputs could show this run another kernel.
  if (has_rule) context_.built.counting_seed = case_random(bench_.seed, report.id + " counts")();
  const CaseConfig* const wanted = model_case(stage_, report.id);
  const double work = wanted != nullptr ? work_of(bench_, *wanted) : 0;
  if (!bench_.config.run_after_timeout && skip_policy_.skips(report, work)) return;
  if (wanted != nullptr && !bench_.config.run_after_failure &&
      !decides_points(bench_.config, stage_, *wanted) &&
      skip_policy_.skips_after_failure(report, work))
    return;
  fs::path watched;
  if (context_.stage.device == Device::emulated) {
    const bool may_be_slow = wanted == nullptr || !context_.profile;
    if (may_be_slow && is_small(bench_, stage_, report.id)) {
      if (const auto why = unwatchable()) {
        CaseReport open = skipped_case(Outcome::not_emulated, *why);
        describe_case(stage_, report.id, open);
        report = std::move(open);
        return;
      }
      if (!build_.watching().submission.empty()) {
        context_.built.submission = build_.watching().submission;
        context_.built.watched = true;
      }
    }
    const bool network = wanted != nullptr && wanted->sizes.empty();
    if (network && watched_networks_.insert(bench_.config.models.at(report.model).network).second)
      watched = build_.watching().submission;
  }
  run_on_device(report, watched);
  if (counts && context_.built.counting.empty() && report.outcome == Outcome::passed) {
    if (!report.profile) report.profile.emplace();
    report.profile->problem =
        "the build that counts failed: " + report::why_not_built(build_.counting().report);
  }
  if (report.profile) add_sources(*report.profile, build_.files());
  skip_policy_.add(report, work);
  if (bench_.options.self_check && context_.stage.device == Device::cpu && wanted == nullptr)
    run_with_checks(report);
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
void StageCases::run_with_checks(CaseReport& report) {
  if (report.outcome == Outcome::out_of_time || report.outcome == Outcome::grader_fault) return;
  CaseContext checked = context_;
  checked.built.preloads = bench_.machine.tools().sanitizer_runtimes();
  if (checked.built.preloads.empty()) return;
  try {
    checked.built.submission = build_.watching().submission;
    if (checked.built.submission.empty()) return;
    std::mt19937_64 random = case_random(bench_.seed, report.id);
    const auto problems = problems_of(bench_, stage_, context_.stage.device, report.id, random);
    run_with_sanitizers(checked, problems, random, report);
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
    notes_.push_back(text_reason(
        fmt::format("{}: #pragma omp has no effect: the config's flags lack -fopenmp (one thread)",
                    place_of(*unused_openmp))));
  for (CaseReport& c : report.cases) {
    if (c.outcome == Outcome::wrong_output || c.outcome == Outcome::wrong_accuracy ||
        c.outcome == Outcome::crashed || c.outcome == Outcome::out_of_time)
      explain_with(c, warnings);
  }
}

/// `watched`: a build of which the model's layers are run besides, see watch_layers(); or empty.
void StageCases::run_on_device(CaseReport& report, const fs::path& watched) {
  const std::string id = report.id;
  const CaseConfig* const wanted = model_case(stage_, id);
  const bool timed = wanted != nullptr && context_.stage.device != Device::emulated;
  interrupt::check();
  const Listener& listen = bench_.options.listen;
  const bool hidden = weight_of(stage_, id).hidden;
  const Listener on_wait = [&](Event event) {
    if (auto* const lock = std::get_if<events::LockAwaited>(&event)) lock->id = id;
    listen(event);
  };
  if (timed || context_.stage.device == Device::cuda) listen(events::TurnAwaited{id, hidden});
  std::optional<GpuId> gpu;
  try {
    if (context_.stage.device == Device::cuda) bench_.machine.await_device();
    use_device(context_, bench_.machine.gpus(), lease_, on_wait, launch_ahead());
    if (lease_.referee() != nullptr) gpu = lease_.gpu();
    phase_over("waiting for the device");
    const auto turn = lock_for_timing(lease_, timed, on_wait);
    if (const auto why = disturbed(lease_, turn); !why.empty()) add_note(id, why);
    listen(events::CaseStarted{id, hidden});
    const auto work = [&] {
      report = wanted != nullptr ? run_timed(*wanted, id, watched) : run_checked(id);
      return report.outcome == Outcome::passed;
    };
    const auto control = [&] {
      if (could_be_device_fault(report, context_.stage.device))
        bench_.control.check(stage_, context_);
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
  describe_case(stage_, id, report);
  report.gpu = std::move(gpu);
}

/// The calls of all models, as each case would record them by itself.
void StageCases::expect_calls(const StageReport& report) {
  if (context_.stage.device != Device::cuda) return;
  for (const CaseReport& c : report.cases)
    if (const CaseConfig* const timed = model_case(stage_, c.id);
        timed != nullptr && timed->sizes.empty()) {
      const auto calls = calls_of(context_, *timed, bench_.models, std::mt19937_64())();
      process_.outside_launches().expect(calls->with_parts(kSmallestBatch));
    }
}

bool StageCases::may_start_ahead() const {
  // Threads of the driver, where a limit on processes is a user's: those that wait count, too.
  constexpr int kThreadsEach = 64;
  const int processes = bench_.options.parallel_runs + 1;
  return context_.on.process != nullptr &&
         bench_.config.run_limits.processes >= kThreadsEach * processes;
}

GpuPool::Launch StageCases::launch_ahead() {
  if (!may_start_ahead()) return {};
  return [this](Referee& device) { process_.launch(context_on(device)); };
}

CaseReport StageCases::run_timed(const CaseConfig& wanted, const std::string& id,
                                 const fs::path& watched) {
  std::vector<std::string> own;
  CaseConfig timed = wanted;
  timed.timing = timing_of(bench_.config, stage_, wanted);
  const MakeCalls calls = calls_of(context_, timed, bench_.models, case_random(bench_.seed, id));
  JudgedCase report = run_timed_case(context_, calls, timed, own);
  if (!watched.empty()) {
    CaseContext watching = context_;
    watching.built.submission = watched;
    watching.built.watched = true;
    watch_layers(watching, model_of(bench_.models, bench_.config, wanted.model),
                 case_random(bench_.seed, id), report, own);
  }
  vary_on_device(report, [&](const CaseContext& context) {
    std::vector<std::string> ignored;
    return run_timed_case(context, calls, timed, ignored);
  });
  for (auto& note : own) add_note(id, std::move(note));
  return report;
}

void StageCases::vary_on_device(JudgedCase& c,
                                const std::function<JudgedCase(const CaseContext&)>& run) const {
  if (context_.stage.device != Device::emulated) return;
  const auto rerun = [&](const DeviceVariation& how) {
    CaseContext varied = context_;
    varied.built.watched = how.watched;
    if (!how.watched) varied.built.submission = build_.plain().submission;
    varied.built.variation = how.environment;
    varied.profile = false;
    varied.built.counting.clear();
    return run(varied);
  };
  rerun_varied(c, context_.built.watched, rerun);
  if (exchanges_words(build_.files())) interleave(c, rerun);
}

CaseReport StageCases::run_checked(const std::string& id) {
  std::mt19937_64 random = case_random(bench_.seed, id);
  const auto problems = problems_of(bench_, stage_, context_.stage.device, id, random);
  const auto run = [&](const CaseContext& context) {
    return run_problems_case(context, problems, random);
  };
  JudgedCase report = context_.built.watched && id == batches_id(stage_)
                          ? watch_small(context_, build_.plain().submission, problems, random)
                          : run(context_);
  vary_on_device(report, run);
  const bool openmp = std::ranges::find(stage_.flags, "-fopenmp") != stage_.flags.end();
  if (context_.stage.device == Device::cpu && openmp && id == random_id(stage_)) {
    CaseContext races = context_;
    races.built.preloads = bench_.machine.tools().sanitizer_runtimes(true);
    const Compiled* const racing = races.built.preloads.empty() ? nullptr : &build_.racing();
    if (racing != nullptr) races.built.submission = racing->submission;
    if (racing != nullptr && racing->report.outcome == Outcome::build_failed)
      fail_when_watched(report, {racing->report.outcome, racing->report.reason});
    else if (races.built.submission.empty())
      note_left_out(id, "checked for data races", "g++ has no thread sanitizer here");
    else if (const auto why = look_for_races(races, problems, random, report))
      note_left_out(id, "checked for data races", *why);
  }
  return report;
}

void StageCases::sanitize_first(StageReport& report) {
  context_.built.submission = build_.plain().submission;
  const auto sanitizer = find_sanitizer(*bench_.machine.tools().cuda_root);
  if (!sanitizer) {
    notes_.push_back(
        why::ComputeSanitizer{"the CUDA toolkit has no compute-sanitizer: its tools were not run"});
    return;
  }
  bench_.options.listen(events::SanitizerStarted{report.name});
  SanitizeResult result;
  try {
    use_device(context_, bench_.machine.gpus(), lease_);
    run_on(lease_, [&] {
      result = sanitize(context_, *sanitizer);
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
