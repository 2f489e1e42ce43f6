#include "reference.h"

#include <cmath>

void reference(float a, const float* x, const float* y, double* y_after, double* y_after_scale, long long n) {
  for (long long i = 0; i < n; ++i) {
    y_after[i] = static_cast<double>(a) * x[i] + y[i];
    y_after_scale[i] = std::fabs(static_cast<double>(a) * x[i]) + std::fabs(y[i]);
  }
}
