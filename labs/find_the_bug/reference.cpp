#include "reference.h"

void reference(const float* x, double* y, double*, long long n) {
  for (long long i = 0; i < n; ++i) {
    const double before = i > 0 ? x[i - 1] : 0, after = i + 1 < n ? x[i + 1] : 0;
    y[i] = (before + x[i] + after) / 3;
  }
}
