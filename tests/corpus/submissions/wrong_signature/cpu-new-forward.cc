// The parameters of another term.
#include <cstddef>

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K, const int S)
{
  y[0] = x[0] * k[0];
}
