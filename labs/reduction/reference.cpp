#include "reference.h"

#include <cmath>

// Rounding is bounded by the sum of |x| in any order.
void reference(const float* x, double* sum, double* sum_scale, long long n) {
  double total = 0, absolute = 0;
  for (long long i = 0; i < n; ++i) {
    total += x[i];
    absolute += std::fabs(x[i]);
  }
  *sum = total;
  *sum_scale = absolute;
}
