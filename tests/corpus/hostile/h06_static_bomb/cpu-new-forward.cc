// 512 MiB of static memory, all of it touched.
#include "cpu-new-forward.h"

#include <cstring>

static char block[512L << 20];

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  memset(block, 1, sizeof block);
  y[0] = block[B % 7];
}
