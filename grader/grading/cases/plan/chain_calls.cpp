#include "grader/grading/cases/plan/chain_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/phases.hpp"
#include "grader/grading/cases/layer/layer_run.hpp"
#include "grader/task/config/stage_case.hpp"

namespace opgrade {
const Model& model_of(Models* models, const Config& config, const std::string& name) {
  if (models == nullptr)
    throw UsageError(
        fmt::format("model '{}': the interface {} has no models", name, config.interface),
        "give the case `sizes` instead");
  const ModelConfig& wanted = config.models.at(name);
  return models->get({config.folder, wanted.network, wanted.weights});
}

std::vector<CallShape> call_shapes(const std::vector<NamedProblem>& problems) {
  std::vector<CallShape> shapes;
  for (const auto& [name, problem] : problems) shapes.push_back(call_shape(*problem));
  return shapes;
}

MakeCalls calls_of(const StageContext& stage, const CaseConfig& wanted, std::mt19937_64 random) {
  return [&stage, &wanted, random]() -> std::unique_ptr<CaseCalls> {
    if (std::holds_alternative<SizesCase>(timed_kind(wanted))) {
      auto problem = stage.task.problem(wanted.sizes, stage.staff);
      return std::make_unique<SingleCall>(NamedProblem{wanted.model, std::move(problem)}, random);
    }
    return std::make_unique<ChainCalls>(
        model_of(stage.models, stage.config, wanted.model), wanted,
        ChainCalls::Options{stage.threads, stage.device == Device::cuda ? stage.tensors : nullptr});
  };
}

ChainCalls::ChainCalls(const Model& model, const CaseConfig& wanted, Options options)
    : wanted_(wanted),
      options_(options),
      pass_(model.pass(wanted.batch, options.threads)),
      problems_(model.problems(wanted.batch)) {}

void ChainCalls::begin() {
  auto shapes = call_shapes(problems_);
  tensors_ = options_.store != nullptr ? options_.store->take(shapes)
                                       : std::make_unique<ChainTensors>(
                                             std::move(shapes), ChainTensors::Memory::when_touched);
  tensors_->wait_for_memory();
  phase_over("memory of the tensors");
  pass_->fill(current_, tensors().values());
  phase_over("input");
  problems_[current_].problem->begin(tensors().values());
}

void ChainCalls::use_output() {
  pass_->forward(current_, tensors().output().as<float>(),
                 is_last() ? std::span<float>() : tensors_->next_input().as<float>());
}

void ChainCalls::advance() {
  tensors_->advance();
  ++current_;
  pass_->fill(current_, tensors().values());
  problems_[current_].problem->begin(tensors().values());
}

std::vector<NamedProblem> ChainCalls::with_parts(int most) const {
  std::vector<NamedProblem> all;
  for (const auto& [name, problem] : problems_)
    all.push_back({name, problem->first_parts(std::min(most, problem->parts()))});
  return all;
}

void ChainCalls::release(TensorStore* store) {
  if (options_.store != nullptr) {
    options_.store->give_back(std::move(tensors_));
  } else if (store != nullptr) {
    store->discard(std::move(tensors_));
  }
  tensors_.reset();
}

std::optional<double> ChainCalls::accuracy() const {
  return static_cast<double>(pass_->right()) / wanted_.batch;
}

}  // namespace opgrade
