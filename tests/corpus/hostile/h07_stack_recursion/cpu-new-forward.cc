// Calls itself for ever.
#include "cpu-new-forward.h"


static int deeper(int n)
{
  volatile char room[4096];
  room[n & 4095] = 1;
  return deeper(n + 1) + room[n & 4095];
}

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  y[0] = deeper(B);
}
