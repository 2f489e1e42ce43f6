// Prints errors without end.
#include "cpu-new-forward.h"

#include <unistd.h>

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  static char block[4096];
  for (;;)
    if (write(2, block, sizeof block) < 0) break;
}
