#include "grader/tasks/matmul/matmul_rows.hpp"

#include <algorithm>

#include "grader/core/vector_clones.hpp"

namespace opgrade {
namespace {

OPGRADE_VECTOR_CLONES
void add_multiple(double factor, const float* from, double* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += factor * static_cast<double>(from[i]);
}

}  // namespace

void product_row(const MatrixView& a, const MatrixView& b, int row, int depth,
                 std::span<double> want) {
  std::ranges::fill(want, 0);
  for (int k = 0; k < depth; ++k) {
    const double factor = a.at(row, k);
    if (b.column_step == 1) {
      add_multiple(factor, b.data + k * b.row_step, want.data(), want.size());
      continue;
    }
    for (std::size_t j = 0; j < want.size(); ++j)
      want[j] += factor * b.at(k, static_cast<std::ptrdiff_t>(j));
  }
}

}  // namespace opgrade
