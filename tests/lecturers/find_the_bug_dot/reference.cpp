#include "reference.h"

#include <cmath>

void reference(const float* x, const float* y, double* result, double* result_scale, long long n) {
  double total = 0, absolute = 0;
  for (long long i = 0; i < n; ++i) {
    const double product = static_cast<double>(x[i]) * y[i];
    total += product;
    absolute += std::fabs(product);
  }
  *result = total;
  *result_scale = absolute;
}
