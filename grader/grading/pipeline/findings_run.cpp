#include "grader/grading/pipeline/findings_run.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "grader/base/core/fault_hint.hpp"
#include "grader/base/core/overloaded.hpp"
#include "grader/grading/cases/plan/chain_calls.hpp"
#include "grader/grading/cases/rerun/varied_run.hpp"
#include "grader/grading/cases/rerun/watched_run.hpp"
#include "grader/grading/cases/verdict/case_end.hpp"
#include "grader/grading/pipeline/stage_context.hpp"
#include "grader/grading/pipeline/stage_problems.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/task/interface/random_values.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

// Progress is reported only for the run on the GPU.
const Listener kToNobody = [](const Event&) {};

}  // namespace

std::optional<FindingsRole> findings_on_gpu(Device device, const Config& config) {
  if (device != Device::cuda || config.findings != FindingsRule::decide) return {};
  return config.accept_emulated ? FindingsRole::mistakes : FindingsRole::notes;
}

std::vector<std::string> watched_cases(Models* models, const Config& config,
                                       const StageConfig& stage,
                                       const std::vector<std::string>& ids) {
  std::set<std::string> networks;
  if (std::ranges::find(ids, batches_id(stage)) != ids.end())
    networks.insert(config.models.at(stage.random_batches.model).network);
  std::vector<Case> by_work;
  for (const std::string& id : ids) by_work.push_back(case_of(stage, id));
  std::ranges::stable_sort(by_work, {},
                           [&](const Case& c) { return work_of(models, config, stage, c); });
  std::set<std::string> chosen;
  for (const Case& c : by_work) {
    const auto* const network = std::get_if<NetworkCase>(&c.kind);
    const bool is_watched =
        network != nullptr
            ? networks.insert(config.models.at(network->config->model).network).second
            : is_small(models, config, stage, c);
    if (is_watched) chosen.insert(c.id);
  }
  std::vector<std::string> watched;
  std::ranges::copy_if(ids, std::back_inserter(watched),
                       [&](const std::string& id) { return chosen.contains(id); });
  return watched;
}

FindingsRun::Emulated::Emulated(const GradingBench& bench, const StageConfig& stage,
                                const TakenFiles& files)
    : build(bench.config, stage, Device::emulated, files, bench.machine, kToNobody),
      context(stage_context(bench, stage, Device::emulated, 1)) {}

FindingsRun::FindingsRun(const GradingBench& bench, const StageConfig& stage,
                         const TakenFiles& files, std::vector<std::string> ids)
    : bench_(bench), stage_(stage), files_(files), ids_(std::move(ids)) {}

FindingsRun::~FindingsRun() = default;

void FindingsRun::start() {
  if (!bench_.cores.try_take()) return;
  run_ = std::async(std::launch::async, [this] {
    const SpareCores::Taken core(bench_.cores);
    watch_all();
  });
}

const std::map<std::string, EmulatedFindings>& FindingsRun::end() {
  if (run_.valid()) {
    run_.get();
  } else if (found_.empty()) {
    bench_.cores.take();
    const SpareCores::Taken core(bench_.cores);
    watch_all();
  }
  return found_;
}

void FindingsRun::watch_all() {
  for (const std::string& id : watched_cases(bench_.models, bench_.config, stage_, ids_)) {
    interrupt::check();
    try {
      found_.insert_or_assign(id, watch(id));
    } catch (const interrupt::Interrupted&) {
      throw;
    } catch (const std::exception& e) {
      interrupt::check();
      found_.insert_or_assign(id, EmulatedFindings{.fault = text_reason(e.what(), hint_for(e))});
    }
  }
}

EmulatedFindings FindingsRun::watch(const std::string& id) {
  const Toolchain& tools = bench_.machine.tools();
  if (!tools.emulator) return {.left_out = text_reason(tools.no_emulator.what())};
  if (!emulated_) emulated_.emplace(bench_, stage_, files_);
  StageBuild& build = emulated_->build;
  const BuildReport& plain = build.plain().report;
  if (plain.outcome != Outcome::passed) return {.left_out = plain.reason};
  if (build.watching().submission.empty()) return {.left_out = build.watching().report.reason};
  return findings_of(watched(case_of(stage_, id)));
}

JudgedCase FindingsRun::watched(const Case& c) {
  StageBuild& build = emulated_->build;
  const StageContext& context = emulated_->context;
  const fs::path& watching = build.watching().submission;
  std::mt19937_64 random = case_random(bench_.seed, c.id);
  const auto run = [&](const auto& run_in) {
    JudgedCase judged =
        run_in(CaseContext{.stage = context, .built = {.submission = watching, .watched = true}});
    const auto rerun = [&](const DeviceVariation& how) {
      return run_in(CaseContext{
          .stage = context,
          .built = {.submission = build.plain().submission, .variation = how.environment}});
    };
    if (exchanges_words(files_)) interleave(judged, rerun);
    if (works_asynchronously(files_)) delay_work(judged, rerun);
    return judged;
  };
  return std::visit(
      Overloaded{[&](const NetworkCase& network) {
                   JudgedCase judged = new_case(context);
                   std::vector<Note> ignored;
                   watch_layers(context, watching,
                                model_of(context.models, bench_.config, network.config->model),
                                random, judged, ignored);
                   return judged;
                 },
                 [&](const SizesCase& sizes) {
                   const CaseConfig& listed = *sizes.config;
                   const TimingConfig timing = timing_of(bench_.config, stage_, listed);
                   return run([&](const CaseContext& how) {
                     std::vector<Note> ignored;
                     return run_timed_case(how, calls_of(context, listed, random), listed, timing,
                                           ignored);
                   });
                 },
                 [&](const auto& checked) {
                   auto problems = problems_of(context, checked, random);
                   if (c.is<RandomBatchesCase>()) problems.resize(count_of_watched(problems));
                   return run([&](const CaseContext& how) {
                     return run_problems_case(how, problems, random);
                   });
                 }},
      c.kind);
}

std::vector<const CaseReport*> add_found(StageReport& report,
                                         const std::map<std::string, EmulatedFindings>& found,
                                         FindingsRole role, std::vector<Note>& notes) {
  std::vector<const CaseReport*> changed;
  std::vector<Reason> noted;
  for (CaseReport& c : report.cases) {
    const auto of_case = found.find(c.id);
    if (of_case == found.end()) continue;
    const EmulatedFindings& one = of_case->second;
    const Outcome before = c.outcome;
    add_emulated_findings(c, one, role);
    if (c.outcome != before) changed.push_back(&c);
    const auto why = one.fault && role == FindingsRole::notes ? one.fault : one.left_out;
    if (!why) continue;
    // All cases often lack the same feature.
    if (std::ranges::find(noted, *why) != noted.end()) continue;
    noted.push_back(*why);
    notes.push_back(notes::FindingsNotSought{{*why}, one.begun, c.id});
  }
  return changed;
}

}  // namespace opgrade
