/// One matrix product C = A B: A is M x K, B is K x N, C is M x N, row-major float32.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/task/problem.hpp"

namespace opgrade {

/// Its parts are the rows of C. Both inputs are fresh in every call. On a GPU the referee makes B
/// alone fresh, which is enough where N is at least 32: task.cpp has the reason.
class MatmulProblem final : public Problem {
 public:
  MatmulProblem(int M, int N, int K);

  const Coordinates& sizes() const override { return sizes_; }
  std::vector<BufferShape> buffers() const override;
  void fill(const Values& values, std::mt19937_64& random) const override;
  void refresh(const Values& values, int threads) const override;
  int parts() const override { return M_; }
  std::unique_ptr<Problem> first_parts(int count) const override;
  CheckReport check(const Values& values, double tolerance, std::span<const int> rows,
                    int threads) const override;
  Coordinates place_of(std::int64_t index) const override;
  Hint explain(const Values& values, const CheckReport& report) const override;
  double flops() const override { return 2.0 * M_ * N_ * K_; }
  std::optional<OnDevice> on_device() const override;

 private:
  int M_, N_, K_;
  Coordinates sizes_;
};

}  // namespace opgrade
