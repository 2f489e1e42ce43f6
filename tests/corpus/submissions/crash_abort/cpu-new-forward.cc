// A failed assertion.
#include "cpu-new-forward.h"
#undef NDEBUG
#include <cassert>

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  assert(B < 0);
}
