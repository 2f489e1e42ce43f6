#include "reference.h"

#include <cmath>

// Any order rounds by at most (n - 1) / 2^24 of the sum of |x|, and not at all where each sum is a
// whole number below 2^24.
void reference(const float* x, double* sum, double* sum_scale, long long n) {
  double total = 0, absolute = 0;
  bool whole = true;
  for (long long i = 0; i < n; ++i) {
    total += x[i];
    absolute += std::fabs(x[i]);
    whole = whole && x[i] == std::floor(x[i]);
  }
  *sum = total;
  *sum_scale = absolute * (whole ? 1 : 1 + 0.6 * static_cast<double>(n));
}
