#include "reference.h"

#include <cmath>

void reference(const int* row_start, const int* column, const float* value, const float* x,
               double* y, double* y_scale, long long dim, long long) {
  for (long long row = 0; row < dim; ++row) {
    y[row] = y_scale[row] = 0;
    for (int i = row_start[row]; i < row_start[row + 1]; ++i) {
      const double term = static_cast<double>(value[i]) * x[column[i]];
      y[row] += term;
      y_scale[row] += std::fabs(term);
    }
  }
}
