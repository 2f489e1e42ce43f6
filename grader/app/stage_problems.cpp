#include "grader/app/stage_problems.hpp"

#include <algorithm>

#include "grader/cases/chain_calls.hpp"
#include "grader/score/score_stage.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

/// The sum over its problems.
double sum_of(double (Problem::*quantity)() const, const GradingBench& bench,
              const CaseConfig& wanted) {
  if (!wanted.sizes.empty()) {
    const Task& task = task_of(find_interface(bench.config.interface));
    return (*task.problem(wanted.sizes).*quantity)();
  }
  double sum = 0;
  for (const auto& layer :
       model_of(bench.models, bench.config, wanted.model).problems(wanted.batch))
    sum += (*layer.problem.*quantity)();
  return sum;
}

}  // namespace

double work_of(const GradingBench& bench, const CaseConfig& wanted) {
  return sum_of(&Problem::flops, bench, wanted);
}

CaseWork work_of(const GradingBench& bench, const StageConfig& stage, const OpTimeRule& rule) {
  const auto wanted =
      std::ranges::find_if(stage.cases, [&](const CaseConfig& c) { return applies_to(rule, c); });
  if (wanted == stage.cases.end()) return {};
  return {sum_of(&Problem::bytes, bench, *wanted), sum_of(&Problem::flops, bench, *wanted)};
}

bool is_small(const GradingBench& bench, const StageConfig& stage, const std::string& id) {
  // Operations and bytes: some seconds on the emulated device.
  constexpr double kSmall = 2e7;
  if (const CaseConfig* const wanted = model_case(stage, id); wanted != nullptr)
    return !wanted->sizes.empty() &&
           work_of(bench, *wanted) + sum_of(&Problem::bytes, bench, *wanted) <= kSmall;
  if (id != fixed_id(stage)) return true;
  const Task& task = task_of(find_interface(bench.config.interface));
  return std::ranges::all_of(stage.fixed_shapes.shapes, [&](const Coordinates& sizes) {
    const auto problem = task.problem(sizes);
    return problem->flops() + problem->bytes() <= kSmall;
  });
}

std::vector<NamedProblem> problems_of(const GradingBench& bench, const StageConfig& stage,
                                      Device device, const std::string& id,
                                      std::mt19937_64& random) {
  if (id == batches_id(stage)) {
    // About a second of plain loops on a CPU, or of the emulated device.
    const double flops = device == Device::cuda ? 1e10 : device == Device::cpu ? 2e9 : 1.5e8;
    return model_of(bench.models, bench.config, stage.random_batches.model)
        .random_batches(stage.random_batches.count, flops, random);
  }
  const bool fixed = id == fixed_id(stage);
  const Interface& interface = find_interface(bench.config.interface);
  const Task& task = task_of(interface);
  std::vector<NamedProblem> problems;
  for (const Coordinates& sizes :
       fixed ? stage.fixed_shapes.shapes
             : task.random_sizes(stage.random_shapes.count, interface, random))
    problems.push_back({fixed ? "fixed shape" : "random shape", task.problem(sizes)});
  return problems;
}

bool exchanges_words(const TakenFiles& files) {
  return std::ranges::any_of(files.files, [](const TakenFile& file) {
    return file.bytes.find("atomicExch") != file.bytes.npos ||
           file.bytes.find("atomicCAS") != file.bytes.npos;
  });
}

}  // namespace opgrade
