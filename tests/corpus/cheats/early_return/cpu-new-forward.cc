// C73: returns before a thread has written the end of the output
#include "early.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  early_conv(y, x, k, B, M, C, H, W, K, 1, [] {});
}
