#include "reference.h"

#include <cmath>

void reference(const int* row_start, const int* column, const float* value, const float* x,
               double* y, double* y_scale, long long rows, long long, int) {
  for (long long row = 0; row < rows; ++row) {
    double sum = 0, absolute = 0;
    for (int i = row_start[row]; i < row_start[row + 1]; ++i) {
      const double term = static_cast<double>(value[i]) * x[column[i]];
      sum += term;
      absolute += std::fabs(term);
    }
    y[row] = sum;
    y_scale[row] = absolute;
  }
}
