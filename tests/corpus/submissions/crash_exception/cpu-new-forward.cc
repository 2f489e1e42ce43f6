// Lets an exception out.
#include "cpu-new-forward.h"
#include <stdexcept>

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  throw std::runtime_error("not \x1b[31mwritten yet");
}
