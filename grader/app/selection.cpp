#include "grader/app/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "grader/core/error.hpp"
#include "grader/score/score_stage.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

std::vector<std::string> all_ids(const StageConfig& stage) {
  std::vector<std::string> ids;
  if (stage.random_shapes.count > 0) ids.push_back(random_id(stage));
  if (stage.random_batches.count > 0) ids.push_back(batches_id(stage));
  if (!stage.fixed_shapes.shapes.empty()) ids.push_back(fixed_id(stage));
  for (const auto& wanted : stage.cases) ids.push_back(case_id(stage, wanted));
  std::ranges::stable_partition(ids, [&](const auto& id) { return !weight_of(stage, id).advice; });
  return ids;
}

/// True if `wanted` is the id or all that stands before one of its slashes.
bool names(const std::string& wanted, const std::string& id) {
  return id == wanted || id.starts_with(wanted + "/");
}

}  // namespace

Selection::Selection(const Config& config, std::set<std::string> only)
    : only_(std::move(only)), interface_(config.interface) {
  std::set<std::string> known;
  std::vector<std::string> stages;
  for (const auto& stage : config.stages) {
    stages.push_back(stage.name);
    const auto ids = all_ids(stage);
    known.insert(ids.begin(), ids.end());
  }
  for (const std::string& wanted : only_) {
    if (std::ranges::none_of(known, [&](const auto& id) { return names(wanted, id); })) {
      throw UsageError(fmt::format("--only {}: the config has no such case or stage", wanted),
                       fmt::format("its stages are {}; its cases are {}", fmt::join(stages, ", "),
                                   fmt::join(known, ", ")));
    }
  }
}

bool Selection::has(const std::string& id) const {
  return is_all() ||
         std::ranges::any_of(only_, [&](const auto& wanted) { return names(wanted, id); });
}

bool Selection::any_of(const StageConfig& stage) const { return is_all() || !ids(stage).empty(); }

std::vector<std::string> Selection::ids(const StageConfig& stage) const {
  auto ids = all_ids(stage);
  std::erase_if(ids, [&](const std::string& id) { return !has(id); });
  return ids;
}

std::string Selection::to_profile(const StageConfig& stage, Device device) const {
  if (device == Device::cpu) return {};
  const Task* const task = find_task(interface_);
  // A network says more than a single problem; batches and sizes are not compared.
  const auto size = [&](const CaseConfig& c) {
    if (c.sizes.empty()) return static_cast<double>(c.batch);
    return task != nullptr ? task->problem(c.sizes)->flops() : 0;
  };
  const auto better = [&](const CaseConfig& c, const CaseConfig& than) {
    if (c.sizes.empty() != than.sizes.empty()) return c.sizes.empty();
    return device == Device::emulated ? size(c) < size(than) : size(c) > size(than);
  };
  const CaseConfig* best = nullptr;
  for (const CaseConfig& candidate : stage.cases) {
    if (!has(case_id(stage, candidate)) || candidate.hidden) continue;
    if (best == nullptr || better(candidate, *best)) best = &candidate;
  }
  return best != nullptr ? case_id(stage, *best) : std::string();
}

}  // namespace opgrade
