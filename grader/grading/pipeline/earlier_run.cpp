#include "grader/grading/pipeline/earlier_run.hpp"

#include <algorithm>

#include "grader/base/core/case_time.hpp"
#include "grader/grading/pipeline/findings_run.hpp"
#include "grader/grading/pipeline/selection.hpp"
#include "grader/grading/score/hopeless.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/task/config/case_rules.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/timing_budget.hpp"

namespace opgrade {
namespace {

template <class Check>
void clear_weight(Check& check) {
  check.points = 0;
  check.hidden = check.advice = false;
  check.visibility = Visibility::open;
  check.group.clear();
}

/// A config with this case alone, and without what does not change its run.
Config run_config(const Config& config, const StageConfig& stage, const std::string& id,
                  Device device) {
  StageConfig only = stage;
  only.title.clear();
  only.op_times.clear();
  only.groups.clear();
  only.constructs.clear();
  std::erase_if(only.counts, [&](const CountRule& rule) { return case_id(stage, rule) != id; });
  only.open_items.clear();
  const Case wanted = case_of(stage, id);
  // The emulated device checks the layers of a network's first case, unless random batches do.
  const bool besides = findings_on_gpu(device, config).has_value();
  const bool beside_networks = (device == Device::emulated || besides) && wanted.is<NetworkCase>();
  std::erase_if(only.cases, [&](const CaseConfig& c) {
    return case_id(stage, c) != id &&
           !(beside_networks && std::holds_alternative<NetworkCase>(timed_kind(c)));
  });
  if (!wanted.is<RandomShapesCase>()) only.random_shapes = {};
  if (!wanted.is<FixedShapesCase>()) only.fixed_shapes = {};
  if (!wanted.is<RandomBatchesCase>() && !beside_networks) only.random_batches = {};
  for (CaseConfig& c : only.cases) {
    // Set before the rules that it depends on are gone. A time of one call, or none, decides
    // nothing.
    c.timing = timing_of(config, stage, c);
    if (device == Device::emulated || c.timing->repetitions == 0) c.timing->repetitions = 1;
    clear_weight(c);
  }
  clear_weight(only.random_shapes);
  clear_weight(only.random_batches);
  clear_weight(only.fixed_shapes);

  Config run = config;
  run.name.clear();
  run.title.clear();
  run.pass_mark = 0;
  // On a GPU accept_emulated decides whether findings of the emulated device cost a case. On other
  // devices it only decides about points.
  if (!besides) run.accept_emulated = true;
  run.ranking.reset();
  std::erase_if(run.models, [&](const auto& model) {
    return only.random_batches.model != model.first &&
           std::ranges::find(only.cases, model.first, &CaseConfig::model) == only.cases.end();
  });
  run.stages = {std::move(only)};
  return run;
}

const StageConfig* stage_named(const Config& config, const std::string& name) {
  const auto found = std::ranges::find(config.stages, name, &StageConfig::name);
  return found == config.stages.end() ? nullptr : &*found;
}

/// True if a model has files at paths of the config. By now a path may lead to other content, of
/// which a config says nothing.
bool reads_own_files(const Config& config) {
  return std::ranges::any_of(config.models, [](const auto& model) {
    return model.second.network.find('/') != std::string::npos ||
           model.second.weights.find('/') != std::string::npos;
  });
}

/// True if the case's time is of one call because no points were left under the rules of then, or
/// of few calls because it was far behind its class, and if more calls could matter under the rules
/// of now.
bool ended_early(const Config& config, const StageConfig& stage, const CaseReport& c) {
  const auto wanted =
      std::ranges::find_if(stage.cases, [&](const CaseConfig& one) { return applies_to(one, c); });
  if (wanted == stage.cases.end()) return false;
  const auto calls =
      static_cast<std::size_t>(timing_of(config, stage, *wanted).repetitions.value_or(1));
  std::size_t fewest = calls;
  for (const CallReport& call : c.calls)
    if (!call.op_time.samples_ms.empty()) fewest = std::min(fewest, call.op_time.samples_ms.size());
  if (fewest == calls) return false;
  // A long case may have had no time for more.
  if (time_of_calls(c) >= timing_budget(config)) return false;
  // Does not work out whether a rate is still out of reach.
  const auto work = [](const OpTimeRule&) { return CaseWork{}; };
  std::optional<double> limit;
  if (fewest <= 1)
    limit = hopeless_ms(config, stage, *wanted, work);
  else if (fewest >= kFewCalls && is_ranked_case(config, stage, *wanted))
    limit = far_behind_ms(config, stage, *wanted, work, 0);  // few calls are enough for its rank
  else
    return false;  // what slowed the device may have left as few
  const auto fastest = case_time(c, Statistic::fastest);
  return !limit || !fastest || *fastest <= *limit;
}

/// True if another run may give the Op Time that this one lacks.
bool lacks_time(const Config& config, const StageConfig& stage, const CaseReport& c,
                Device device) {
  if (c.outcome == Outcome::not_credible) return true;
  if (c.outcome != Outcome::passed || device == Device::emulated ||
      std::ranges::any_of(c.calls, &CallReport::too_slow))
    return false;
  const auto is_missing = [&](const auto& rule) {
    return applies_to(rule, c) && (!case_time(c, rule.take) || ended_early(config, stage, c));
  };
  return std::ranges::any_of(stage.op_times, is_missing) ||
         (config.ranking && config.ranking->stage == stage.name && is_missing(*config.ranking));
}

}  // namespace

std::set<std::string> same_runs(const Config& before, const Config& now, const StageConfig& stage,
                                Device device) {
  std::set<std::string> same;
  const StageConfig* const was = stage_named(before, stage.name);
  if (was == nullptr) return same;
  // Times that did not count were measured while builds ran.
  const bool untimed = device == Device::cpu && cpu_times_count(now) && !cpu_times_count(before);
  const auto had = Selection(before, {}).ids(*was);
  for (const std::string& id : Selection(now, {}).ids(stage)) {
    if (std::ranges::find(had, id) == had.end() || (untimed && case_of(stage, id).is_timed()))
      continue;
    const Config run = run_config(now, stage, id, device);
    if (!reads_own_files(run) &&
        dump_config(run_config(before, *was, id, device)) == dump_config(run))
      same.insert(id);
  }
  return same;
}

CasesAgain cases_again(const Config& before, const Config& now, bool emulated) {
  CasesAgain again;
  for (const StageConfig& stage : now.stages) {
    const Device device =
        stage.device == Device::cuda && emulated ? Device::emulated : stage.device;
    const auto same = same_runs(before, now, stage, device);
    for (const std::string& id : Selection(now, {}).ids(stage)) {
      ++again.all;
      if (!same.contains(id)) again.changed.push_back(id);
    }
  }
  return again;
}

bool is_same_but_config(const Grade& earlier, const Grade& now) {
  const MachineReport& a = earlier.machine;
  const MachineReport& b = now.machine;
  return !now.submission_sha256.empty() && earlier.submission_sha256 == now.submission_sha256 &&
         (!now.seed || earlier.seed == now.seed) && a.opgrade_version == b.opgrade_version &&
         a.host_cpu == b.host_cpu && a.cpus == b.cpus && a.sandbox == b.sandbox &&
         a.compiler == b.compiler;
}

std::optional<StageReport> taken_stage(const EarlierRun& earlier, const Config& now,
                                       const StageConfig& stage, Device device) {
  const auto had = std::ranges::find(earlier.grade.stages, stage.name, &StageReport::name);
  if (had == earlier.grade.stages.end() || had->device != device) return std::nullopt;
  const auto same = same_runs(earlier.config, now, stage, device);
  const auto ids = Selection(now, {}).ids(stage);
  const auto is_same = [&](const CaseReport& c) { return same.contains(c.id); };
  const auto is_decided = [&](const CaseReport& c) {
    return !is_undecided(c.outcome) && !lacks_time(now, stage, c, device);
  };
  const bool whole = same.size() == ids.size() && had->cases.size() == ids.size() &&
                     std::ranges::all_of(had->cases, is_same) &&
                     std::ranges::all_of(had->cases, is_decided);
  StageReport taken = *had;
  if (!whole) {
    const auto of_network = [&](const std::string& id) {
      return case_of(stage, id).is<NetworkCase>();
    };
    std::erase_if(taken.cases, [&](const CaseReport& c) {
      return !is_same(c) || c.outcome != Outcome::passed || !is_decided(c);
    });
    // The emulated device watches only the first of a network's cases that runs.
    if (device == Device::emulated &&
        std::ranges::count_if(taken.cases, of_network, &CaseReport::id) !=
            std::ranges::count_if(ids, of_network))
      std::erase_if(taken.cases, [&](const CaseReport& c) { return of_network(c.id); });
  }
  if (taken.cases.empty()) return std::nullopt;
  taken.title = stage.title;
  taken.points.clear();
  for (CaseReport& c : taken.cases) {
    const CaseWeight weight = weight_of(case_of(stage, c.id));
    c.points.clear();
    c.broken_rule.reset();
    c.hidden = weight.hidden;
    c.visibility = weight.visibility;
    c.advice = weight.advice;
  }
  return taken;
}

}  // namespace opgrade
