#include "reference.h"

#include <algorithm>
#include <cmath>

void reference(const float* x, double* y, double* y_scale, long long rows, long long columns) {
  for (long long r = 0; r < rows; ++r) {
    const float* const row = x + r * columns;
    const double largest = *std::max_element(row, row + columns);
    double sum = 0;
    for (long long c = 0; c < columns; ++c) sum += std::exp(row[c] - largest);
    for (long long c = 0; c < columns; ++c) {
      y[r * columns + c] = std::exp(row[c] - largest) / sum;
      y_scale[r * columns + c] = 1;
    }
  }
}
