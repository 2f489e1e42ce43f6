// Divides by zero.
#include "cpu-new-forward.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  volatile int zero = 0;
  y[0] = B / zero;
}
