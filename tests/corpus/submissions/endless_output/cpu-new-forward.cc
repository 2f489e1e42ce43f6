// Prints for ever.
#include "cpu-new-forward.h"
#include <cstdio>

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  for (;;) std::puts("still working");
}
