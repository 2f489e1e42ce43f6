#include "grader/app/layer_tensors.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace opgrade {
namespace {

std::int64_t largest_output(const std::vector<ConvLayer>& convs) {
  std::int64_t largest = 0;
  for (const auto& conv : convs) largest = std::max(largest, conv.shape.y_size());
  return largest;
}

SharedTensor input_of(const ConvLayer& conv) {
  return {conv.shape.x_size(), SharedTensor::SubmissionMay::read};
}

}  // namespace

LayerTensors::LayerTensors(const std::vector<ConvLayer>& convs, bool at_once)
    : convs_(convs), inputs_(convs.size()) {
  tensors_.emplace(convs.front().shape, largest_output(convs));
  if (!at_once) return;
  std::vector<std::jthread> helpers;
  helpers.emplace_back([this] { tensors_->y.populate(); });
  helpers.emplace_back([this] { tensors_->x.populate(); });
  for (std::size_t i = 1; i < convs.size(); ++i) {
    inputs_[i].emplace(input_of(convs[i]));
    helpers.emplace_back([this, i] { inputs_[i]->populate(); });
  }
}

SharedTensor& LayerTensors::next_x() {
  auto& input = inputs_[current_ + 1];
  if (!input) input.emplace(input_of(convs_[current_ + 1]));
  return *input;
}

void LayerTensors::go_on() {
  SharedTensor& input = next_x();
  ++current_;
  // What was the input stays where the new one was: giving it back here would take time.
  tensors_->go_on(convs_[current_].shape, input);
}

void LayerTensors::release() {
  inputs_.clear();
  tensors_.reset();
}

}  // namespace opgrade
