// C10: is slower still in the warm-up, so that fewer calls are timed
#include "honest.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  static int calls = 0;
  if (calls++ == 0)
    for (int i = 0; i < 4; i++) dawdle();
  slow_conv(y, x, k, B, M, C, H, W, K);
}
