#include "grader/grading/pipeline/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/overloaded.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/task/config/config_task.hpp"

namespace opgrade {
namespace {

bool has_named(const std::vector<Case>& cases, const std::string& name) {
  return std::ranges::any_of(cases, [&](const Case& c) { return is_named(c.id, name); });
}

}  // namespace

Selection::Selection(const Config& config, std::set<std::string> only)
    : only_(std::move(only)), config_(config) {
  std::vector<Case> known;
  std::vector<std::string> stages;
  for (const auto& stage : config.stages) {
    stages.push_back(stage.name);
    std::ranges::move(cases_of(stage), std::back_inserter(known));
  }
  for (const std::string& wanted : only_) {
    if (!has_named(known, wanted)) {
      std::set<std::string> ids;
      for (const Case& c : known) ids.insert(c.id);
      throw UsageError(fmt::format("--only {}: the config has no such case or stage", wanted),
                       fmt::format("its stages are {}; its cases are {}", fmt::join(stages, ", "),
                                   fmt::join(ids, ", ")));
    }
  }
}

bool Selection::has(const std::string& id) const {
  return is_all() ||
         std::ranges::any_of(only_, [&](const auto& wanted) { return is_named(id, wanted); });
}

bool Selection::any_of(const StageConfig& stage) const { return is_all() || !ids(stage).empty(); }

std::vector<Case> Selection::cases(const StageConfig& stage) const {
  auto cases = cases_of(stage);
  std::erase_if(cases, [&](const Case& c) { return !has(c.id); });
  std::ranges::stable_partition(cases, [](const Case& c) { return !weight_of(c).advice; });
  return cases;
}

std::vector<std::string> Selection::ids(const StageConfig& stage) const {
  std::vector<std::string> ids;
  for (const Case& c : cases(stage)) ids.push_back(c.id);
  return ids;
}

std::string Selection::to_profile(const StageConfig& stage, Device device) const {
  if (device == Device::cpu) return {};
  // A network says more than a single problem; batches and sizes are not compared.
  using Worth = std::pair<bool, double>;
  const Task* const task = find_task(config_, stage);
  const double sign = device == Device::emulated ? -1 : 1;
  const auto worth = [&](const CaseConfig& c) {
    return std::visit(Overloaded{[&](const NetworkCase&) { return Worth(true, sign * c.batch); },
                                 [&](const SizesCase&) {
                                   return Worth(false, task != nullptr
                                                           ? sign * task->problem(c.sizes)->flops()
                                                           : 0);
                                 }},
                      timed_kind(c));
  };
  std::optional<Worth> best;
  std::string id;
  for (const CaseConfig& candidate : stage.cases) {
    if (!has(case_id(stage, candidate)) || candidate.hidden ||
        candidate.run == RunWhen::at_deadline)
      continue;
    if (best && worth(candidate) <= *best) continue;
    best = worth(candidate);
    id = case_id(stage, candidate);
  }
  return id;
}

}  // namespace opgrade
