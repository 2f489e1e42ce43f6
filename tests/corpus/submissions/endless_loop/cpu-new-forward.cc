// Never returns.
#include "cpu-new-forward.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  for (volatile int i = 0;; i = i + 1) {
  }
}
