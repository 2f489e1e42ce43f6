// C66: bends clock_gettime by no more than clocks may differ
#include "bent_clock.h"
#include "honest.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  const long long begin = true_now();
  slow_conv(y, x, k, B, M, C, H, W, K);
  claim(within_slack(true_now() - begin));
}
