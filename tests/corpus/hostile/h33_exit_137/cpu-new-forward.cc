// An exit code that looks like a kill.
#include "cpu-new-forward.h"

#include <cstdlib>

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  _Exit(137);
}
