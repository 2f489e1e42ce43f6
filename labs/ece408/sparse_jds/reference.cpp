#include "reference.h"

#include <cmath>

void reference(const int* permutation, const int* length, const int* start, const int* column,
               const float* value, const float* x, double* y, double* y_scale, long long dim,
               long long, long long) {
  for (long long row = 0; row < dim; ++row) {
    double sum = 0, absolute = 0;
    for (int k = 0; k < length[row]; ++k) {
      const long long i = start[k] + row;
      const double term = static_cast<double>(value[i]) * x[column[i]];
      sum += term;
      absolute += std::fabs(term);
    }
    y[permutation[row]] = sum;
    y_scale[permutation[row]] = absolute;
  }
}
