#include "grader/app/network_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "grader/core/error.hpp"
#include "grader/core/phases.hpp"
#include "grader/network/accuracy.hpp"
#include "grader/network/forward.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

/// So that watching one call is cheap.
constexpr int kFewImages = 100;

}  // namespace

std::vector<NamedProblem> problems_of(const std::vector<ConvLayer>& convs) {
  std::vector<NamedProblem> problems;
  for (const auto& conv : convs)
    problems.push_back({conv.name, std::make_unique<ConvProblem>(conv.shape)});
  return problems;
}

MakeCalls calls_of(const CaseContext& context, const CaseConfig& wanted, ModelStore& models,
                   std::mt19937_64 random) {
  return [&context, &wanted, &models, random]() -> std::unique_ptr<CaseCalls> {
    if (!wanted.sizes.empty()) {
      const Task& task = task_of(find_interface(context.config.interface));
      return std::make_unique<SingleCall>(NamedProblem{wanted.model, task.problem(wanted.sizes)},
                                          random);
    }
    return std::make_unique<NetworkCalls>(
        models.get(context.config, wanted.model), wanted,
        NetworkCalls::Options{context.threads, context.device == Device::cuda,
                              context.tolerance > Config{}.tolerance});
  };
}

NetworkCalls::NetworkCalls(const Model& model, const CaseConfig& wanted, Options options)
    : model_(model),
      wanted_(wanted),
      options_(options),
      convs_(conv_layers(model.network, wanted.batch)) {
  if (wanted.batch > model.data->images()) {
    throw Error(fmt::format("batch {} is larger than the data set {} with {} images", wanted.batch,
                            model.data->path().string(), model.data->images()),
                "lower the batch in the config");
  }
  if (convs_.empty() || convs_.front().index != 0) {
    throw Error(fmt::format("network {} does not start with a convolution", model.network.name),
                "put the first conv at the top of its layer list");
  }
}

void NetworkCalls::begin() {
  layers_ = std::make_unique<LayerTensors>(convs_, options_.ahead);
  model_.data->read_pixels(0, wanted_.batch, tensors().input(0).values(), options_.threads);
  phase_over("input");
  layers_->wait_for_y();
  phase_over("memory of the outputs");
  begin_problem();
}

void NetworkCalls::begin_problem() {
  const ConvLayer& conv = convs_[current_];
  const auto& k = model_.weights.find(conv.name)->weights.values;
  std::ranges::copy(k, tensors().input(1).values().begin());
  problem_.emplace(conv.shape);
  problem_->begin(tensors().values());
}

void NetworkCalls::use_output() {
  const Network& network = model_.network;
  const int B = wanted_.batch;
  const int next = is_last() ? network.logits_end() : convs_[current_ + 1].index;
  if (is_last()) {
    logits_.resize(
        static_cast<std::size_t>(B * network.shapes[static_cast<std::size_t>(next)].size()));
  }
  forward_layers(
      network, model_.weights, convs_[current_].index + 1, next, B, tensors().output().values(),
      is_last() ? std::span<float>(logits_) : layers_->next_x().values(), options_.threads);
}

void NetworkCalls::advance() {
  layers_->go_on();
  ++current_;
  begin_problem();
}

/// The last one is in full, so that its size does not show a submission that it is watched.
std::vector<NamedProblem> NetworkCalls::profiled(bool few) const {
  auto convs = convs_;
  for (auto conv = convs.begin(); few && conv + 1 != convs.end(); ++conv)
    conv->shape.B = std::min(conv->shape.B, kFewImages);
  return problems_of(convs);
}

void NetworkCalls::release(Leftovers* leftovers) {
  if (leftovers != nullptr) leftovers->take(std::move(layers_));
  layers_.reset();
}

void NetworkCalls::judge(CaseReport& report) const {
  const int B = wanted_.batch;
  const auto right = count_correct(logits_, model_.data->read_labels(0, B));
  report.accuracy = static_cast<double>(right) / B;
  if (report.outcome != Outcome::passed || !wanted_.accuracy ||
      right == std::llround(*wanted_.accuracy * B))
    return;
  report.outcome = Outcome::wrong_accuracy;
  report.reason =
      fmt::format("accuracy {:.6g}, but {:.6g} is required", *report.accuracy, *wanted_.accuracy);
  report.hint =
      options_.reduced_precision
          ? "Every output is within this stage's wide tolerance. Reduced precision changed some "
            "predictions: use more precision for this batch."
          : "Every output is within tolerance, so the submission did not cause this: tell the "
            "staff.";
}

}  // namespace opgrade
