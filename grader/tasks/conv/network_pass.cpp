#include "grader/tasks/conv/network_pass.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/core/error.hpp"
#include "grader/tasks/conv/network/accuracy.hpp"
#include "grader/tasks/conv/network/forward.hpp"

namespace opgrade {

NetworkPass::NetworkPass(const NetworkModel& model, int batch, int threads)
    : model_(model), batch_(batch), threads_(threads), convs_(conv_layers(model.network, batch)) {
  if (const auto complaint = model.complaint(batch); !complaint.empty())
    throw Error(complaint, "lower the batch in the config");
  if (convs_.empty() || convs_.front().index != 0) {
    throw Error(fmt::format("network {} does not start with a convolution", model.network.name),
                "put the first conv at the top of its layer list");
  }
}

void NetworkPass::fill(std::size_t i, const Values& values) {
  if (i == 0) model_.data->read_pixels(0, batch_, values[1], threads_);
  const auto& k = model_.weights.find(convs_[i].name)->weights.values;
  std::ranges::copy(k, values[2].begin());
}

void NetworkPass::forward(std::size_t i, std::span<const float> output, std::span<float> next) {
  const Network& network = model_.network;
  const bool last = i + 1 == convs_.size();
  const int until = last ? network.logits_end() : convs_[i + 1].index;
  if (last) {
    logits_.resize(
        static_cast<std::size_t>(batch_ * network.shapes[static_cast<std::size_t>(until)].size()));
    next = logits_;
  }
  forward_layers(network, model_.weights, convs_[i].index + 1, until, batch_, output, next,
                 threads_);
}

std::int64_t NetworkPass::right() const {
  return count_correct(logits_, model_.data->read_labels(0, batch_));
}

}  // namespace opgrade
