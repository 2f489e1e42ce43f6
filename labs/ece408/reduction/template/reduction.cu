#include "reduction.h"

void reduce(const float* x, float* sum, int n) {
  // TODO: store the sum of x[0] to x[n - 1] in *sum.
}
