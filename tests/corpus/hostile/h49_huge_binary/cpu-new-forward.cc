// A binary of 4 GiB.
#include "cpu-new-forward.h"
int table[1u << 30] = {1};
void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  y[0] = table[B];
}
