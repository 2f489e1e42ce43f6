#include "grader/app/findings_run.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "grader/app/stage_problems.hpp"
#include "grader/cases/case_end.hpp"
#include "grader/cases/chain_calls.hpp"
#include "grader/cases/varied_run.hpp"
#include "grader/cases/watched_run.hpp"
#include "grader/core/fault_hint.hpp"
#include "grader/process/interrupt.hpp"
#include "grader/report/reason_words.hpp"
#include "grader/score/score_stage.hpp"
#include "grader/task/random_values.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

// Progress is told of the run on the GPU alone.
const Listener kToNobody = [](const Event&) {};

bool runs_network(const StageConfig& stage, const std::string& id) {
  const CaseConfig* const wanted = model_case(stage, id);
  return wanted != nullptr && wanted->sizes.empty();
}

StageContext watched_stage(const GradingBench& bench, const StageConfig& stage) {
  return {.config = bench.config,
          .sandbox = bench.machine.sandbox(),
          .harness = bench.machine.harness(),
          .device = Device::emulated,
          .steps = steps_of(find_interface(bench.config.interface), Device::emulated),
          .tolerance = stage.tolerance.value_or(bench.config.tolerance),
          .tensors = &bench.tensors};
}

}  // namespace

std::optional<FindingsRole> findings_on_gpu(Device device, const Config& config) {
  if (device != Device::cuda || config.findings != FindingsRule::decide) return {};
  return config.accept_emulated ? FindingsRole::mistakes : FindingsRole::notes;
}

std::vector<std::string> watched_cases(const GradingBench& bench, const StageConfig& stage,
                                       const std::vector<std::string>& ids) {
  std::set<std::string> networks;
  if (std::ranges::find(ids, batches_id(stage)) != ids.end())
    networks.insert(bench.config.models.at(stage.random_batches.model).network);
  std::vector<const CaseConfig*> smallest;
  for (const std::string& id : ids)
    if (runs_network(stage, id)) smallest.push_back(model_case(stage, id));
  std::ranges::stable_sort(smallest, {},
                           [&](const CaseConfig* wanted) { return work_of(bench, *wanted); });
  std::set<std::string> of_networks;
  for (const CaseConfig* const wanted : smallest)
    if (networks.insert(bench.config.models.at(wanted->model).network).second)
      of_networks.insert(case_id(stage, *wanted));
  std::vector<std::string> watched;
  std::ranges::copy_if(ids, std::back_inserter(watched), [&](const std::string& id) {
    return runs_network(stage, id) ? of_networks.contains(id) : is_small(bench, stage, id);
  });
  return watched;
}

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
  for (const std::string& id : watched_cases(bench_, stage_, ids_)) {
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
  if (!build_) {
    build_.emplace(bench_.config, stage_, Device::emulated, files_, bench_.machine, kToNobody);
    shared_.emplace(watched_stage(bench_, stage_));
  }
  const BuildReport& plain = build_->plain().report;
  if (plain.outcome != Outcome::passed) return {.left_out = plain.reason};
  if (build_->watching().submission.empty()) return {.left_out = build_->watching().report.reason};
  return findings_of(watched(id));
}

CaseContext FindingsRun::context() const { return {.stage = *shared_, .built = {}, .on = {}}; }

JudgedCase FindingsRun::watched(const std::string& id) {
  CaseContext watching = context();
  watching.built.submission = build_->watching().submission;
  watching.built.watched = true;
  std::mt19937_64 random = case_random(bench_.seed, id);
  if (runs_network(stage_, id)) {
    JudgedCase c = new_case(watching);
    std::vector<std::string> ignored;
    watch_layers(watching, model_of(bench_.models, bench_.config, model_case(stage_, id)->model),
                 random, c, ignored);
    return c;
  }
  std::function<JudgedCase(const CaseContext&)> run;
  std::vector<NamedProblem> problems;
  CaseConfig once;
  if (const CaseConfig* const wanted = model_case(stage_, id)) {
    once = *wanted;
    once.timing = timing_of(bench_.config, stage_, *wanted);
    run = [&](const CaseContext& how) {
      std::vector<std::string> ignored;
      return run_timed_case(how, calls_of(how, once, bench_.models, random), once, ignored);
    };
  } else {
    problems = problems_of(bench_, stage_, Device::emulated, id, random);
    if (id == batches_id(stage_)) problems.resize(count_of_watched(problems));
    run = [&](const CaseContext& how) { return run_problems_case(how, problems, random); };
  }
  JudgedCase c = run(watching);
  if (exchanges_words(files_))
    interleave(c, [&](const DeviceVariation& how) {
      CaseContext varied = context();
      varied.built.submission = build_->plain().submission;
      varied.built.variation = how.environment;
      return run(varied);
    });
  return c;
}

std::vector<const CaseReport*> add_found(StageReport& report,
                                         const std::map<std::string, EmulatedFindings>& found,
                                         FindingsRole role, std::vector<Reason>& notes) {
  std::vector<const CaseReport*> changed;
  std::set<std::string> told_already;
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
    const bool is_new = told_already.insert(report::sentence_of(*why)).second;
    if (!is_new) continue;
    notes.push_back(why::FindingsNotSought{{*why}, one.begun});
    notes.back().about = c.id;
  }
  return changed;
}

}  // namespace opgrade
