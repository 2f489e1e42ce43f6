#include "grader/grading/pipeline/stage_problems.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "grader/base/core/gpu_rates.hpp"
#include "grader/base/core/overloaded.hpp"
#include "grader/grading/cases/plan/chain_calls.hpp"
#include "grader/task/config/config_task.hpp"

namespace opgrade {
namespace {

/// The sum over the problems of a timed case; 0 for any other case.
double sum_of(double (Problem::*quantity)() const, Models* models, const Config& config,
              const StageConfig& stage, const Case& c) {
  return std::visit(Overloaded{[&](const NetworkCase& network) {
                                 const CaseConfig& listed = *network.config;
                                 double sum = 0;
                                 for (const auto& layer :
                                      model_of(models, config, listed.model).problems(listed.batch))
                                   sum += (*layer.problem.*quantity)();
                                 return sum;
                               },
                               [&](const SizesCase& sizes) {
                                 const Task& task = task_of(config, stage);
                                 return (*task.problem(sizes.config->sizes).*quantity)();
                               },
                               [](const auto&) { return 0.0; }},
                    c.kind);
}

}  // namespace

double work_of(Models* models, const Config& config, const StageConfig& stage, const Case& c) {
  return sum_of(&Problem::flops, models, config, stage, c);
}

CaseWork work_of(Models* models, const Config& config, const StageConfig& stage,
                 const OpTimeRule& rule, const GpuPool& gpus) {
  const Case c = case_of(stage, case_id(stage, rule));
  CaseWork work{sum_of(&Problem::bytes, models, config, stage, c),
                work_of(models, config, stage, c)};
  if (!rule.needs(TimeBound::Unit::roofline)) return work;
  if (const GpuRates* const rates = rates_of_gpu(gpus.model()))
    work.least_ms = rates->least_ms(work.bytes, work.flops, task_of(config, stage).operations());
  return work;
}

bool is_small(Models* models, const Config& config, const StageConfig& stage, const Case& c) {
  // So many operations and bytes take some seconds on the emulated device.
  constexpr double kSmall = 2e7;
  return std::visit(Overloaded{[](const NetworkCase&) { return false; },
                               [&](const SizesCase&) {
                                 return work_of(models, config, stage, c) +
                                            sum_of(&Problem::bytes, models, config, stage, c) <=
                                        kSmall;
                               },
                               [&](const FixedShapesCase& fixed) {
                                 const Task& task = task_of(config, stage);
                                 return std::ranges::all_of(
                                     fixed.config->shapes, [&](const Coordinates& sizes) {
                                       const auto problem = task.problem(sizes);
                                       return problem->flops() + problem->bytes() <= kSmall;
                                     });
                               },
                               [](const auto&) { return true; }},
                    c.kind);
}

std::vector<NamedProblem> problems_of(const StageContext& stage, const RandomBatchesCase& batches,
                                      std::mt19937_64& random) {
  // About a second of plain loops on a CPU, or of the emulated device.
  const double flops = stage.device == Device::cuda  ? 1e10
                       : stage.device == Device::cpu ? 2e9
                                                     : 1.5e8;
  return model_of(stage.models, stage.config, batches.config->model)
      .random_batches(batches.config->count, flops, random);
}

std::vector<NamedProblem> problems_of(const StageContext& stage, const RandomShapesCase& shapes,
                                      std::mt19937_64& random) {
  std::vector<NamedProblem> problems;
  for (const auto& sizes : stage.task.random_sizes(shapes.config->count, stage.interface, random))
    problems.push_back({"random shape", stage.task.problem(sizes, {stage.staff.code})});
  return problems;
}

std::vector<NamedProblem> problems_of(const StageContext& stage, const FixedShapesCase& fixed,
                                      std::mt19937_64&) {
  std::vector<NamedProblem> problems;
  for (const auto& sizes : fixed.config->shapes)
    problems.push_back({"fixed shape", stage.task.problem(sizes, {stage.staff.code})});
  return problems;
}

namespace {

bool has_any(const TakenFiles& files, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(files.files, [&](const TakenFile& file) {
    return std::ranges::any_of(words, [&](std::string_view word) {
      return std::string_view(file.bytes).find(word) != std::string_view::npos;
    });
  });
}

}  // namespace

bool exchanges_words(const TakenFiles& files) {
  return has_any(files, {"atomicExch", "atomicCAS"});
}

bool works_asynchronously(const TakenFiles& files) {
  return has_any(files, {"cudaStream", "Async", "async", "managed", "Managed", "cudaHostAlloc",
                         "cudaMallocHost", "cudaHostRegister"});
}

}  // namespace opgrade
