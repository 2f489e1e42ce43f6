/// Rows of a matrix product in double precision.
#pragma once

#include <cstddef>
#include <span>

namespace opgrade {

/// Element (row, column) of a matrix is at row * `row_step` + column * `column_step`.
struct MatrixView {
  const float* data;
  std::ptrdiff_t row_step, column_step;

  double at(std::ptrdiff_t row, std::ptrdiff_t column) const {
    return data[row * row_step + column * column_step];
  }
};

/// Row `row` of the product of `a` and `b`, summed over the first `depth` terms.
void product_row(const MatrixView& a, const MatrixView& b, int row, int depth,
                 std::span<double> want);

}  // namespace opgrade
