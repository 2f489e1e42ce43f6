#include "grader/task/config/stage_case.hpp"

namespace opgrade {
namespace {

Case listed_case(const StageConfig& stage, const CaseConfig& listed) {
  return {case_id(stage, listed),
          std::visit([](const auto& kind) -> CaseKind { return kind; }, timed_kind(listed))};
}

Case random_case(const StageConfig& stage) {
  return {random_id(stage), RandomShapesCase{&stage.random_shapes}};
}
Case batches_case(const StageConfig& stage) {
  return {batches_id(stage), RandomBatchesCase{&stage.random_batches}};
}
Case fixed_case(const StageConfig& stage) {
  return {fixed_id(stage), FixedShapesCase{&stage.fixed_shapes}};
}

}  // namespace

std::variant<NetworkCase, SizesCase> timed_kind(const CaseConfig& listed) {
  if (listed.sizes.empty()) return NetworkCase{{&listed}};
  return SizesCase{{&listed}};
}

std::vector<Case> cases_of(const StageConfig& stage) {
  std::vector<Case> all;
  if (stage.random_shapes.count > 0) all.push_back(random_case(stage));
  if (stage.random_batches.count > 0) all.push_back(batches_case(stage));
  if (!stage.fixed_shapes.shapes.empty()) all.push_back(fixed_case(stage));
  for (const CaseConfig& listed : stage.cases) all.push_back(listed_case(stage, listed));
  return all;
}

Case case_of(const StageConfig& stage, const std::string& id) {
  for (const CaseConfig& listed : stage.cases)
    if (case_id(stage, listed) == id) return listed_case(stage, listed);
  if (id == fixed_id(stage)) return fixed_case(stage);
  return id == batches_id(stage) ? batches_case(stage) : random_case(stage);
}

std::string random_id(const StageConfig& stage) { return stage.name + "/random"; }
std::string batches_id(const StageConfig& stage) { return stage.name + "/batches"; }
std::string fixed_id(const StageConfig& stage) { return stage.name + "/fixed"; }

bool is_named(const std::string& id, const std::string& name) {
  return id == name || id.starts_with(name + "/");
}

}  // namespace opgrade
