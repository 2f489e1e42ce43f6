// One element is NaN, and so is the sum.
#include <cmath>

#include "reference.h"

void generate(unsigned long long seed, float* x, long long n, long long) {
  for (long long i = 0; i < n; ++i) x[i] = static_cast<float>(i % 7);
  x[seed % n] = NAN;
}
