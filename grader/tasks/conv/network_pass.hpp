/// The layers between a network's convolutions, for one batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grader/task/model.hpp"
#include "grader/tasks/conv/network/network.hpp"
#include "grader/tasks/conv/network_models.hpp"

namespace opgrade {

class NetworkPass final : public ModelPass {
 public:
  /// `model` must outlive it. Throws Error where the model cannot run the batch.
  NetworkPass(const NetworkModel& model, int batch, int threads);

  void fill(std::size_t i, const Values& values) override;
  void forward(std::size_t i, std::span<const float> output, std::span<float> next) override;
  std::int64_t right() const override;

 private:
  const NetworkModel& model_;
  const int batch_;
  const int threads_;
  const std::vector<ConvLayer> convs_;
  std::vector<float> logits_;
};

}  // namespace opgrade
