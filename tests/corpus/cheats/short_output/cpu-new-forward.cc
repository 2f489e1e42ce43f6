// C26: writes the first half of the output only
#include "honest.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  if (B > 1) return honest_conv(y, x, k, B / 2, M, C, H, W, K);
  honest_conv(y, x, k, B, (M + 1) / 2, C, H, W, K);
}
