/// One convolution: its buffers y, x and k, its check and the explanation of its mistakes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/task/interface/problem.hpp"
#include "reference/conv_fast.hpp"
#include "reference/conv_shape.hpp"

namespace opgrade {

/// The parts of the output are images. All calls have the same k, because a network's weights stay
/// the same. A submission may keep the weights, rounded or in another order.
class ConvProblem final : public Problem {
 public:
  explicit ConvProblem(const ConvShape& shape);

  const ConvShape& shape() const { return shape_; }

  const Coordinates& sizes() const override { return sizes_; }
  std::vector<BufferShape> buffers() const override;
  std::string label() const override;
  void fill(const Values& values, std::mt19937_64& random) const override;
  void begin(const Values& values) override;
  /// Shuffles the images and gives each element a new sign. Zeros stay zeros, so a submission may
  /// know which parts of an image to skip.
  void refresh(const Values& values, int threads) const override;
  int parts() const override { return shape_.B; }
  std::unique_ptr<Problem> first_parts(int count) const override;
  CheckReport check(const Values& values, double tolerance, std::span<const int> images,
                    int threads) const override;
  Coordinates place_of(std::int64_t index) const override;
  Hint explain(const Values& values, const CheckReport& report) const override;
  double flops() const override { return shape_.flops(); }
  std::optional<OnDevice> on_device() const override {
    return OnDevice{.truth = "conv",
                    .sizes = sizes_,
                    .inputs = {1, 2},
                    .terms = static_cast<double>(shape_.C) * shape_.K * shape_.K};
  }

 private:
  ConvShape shape_;
  Coordinates sizes_;
  std::optional<FastConv<double>> reference_;
};

}  // namespace opgrade
