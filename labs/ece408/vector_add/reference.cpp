#include "reference.h"

void reference(const float* a, const float* b, double* sum, double*, long long n) {
  for (long long i = 0; i < n; ++i) sum[i] = static_cast<double>(a[i]) + b[i];
}
