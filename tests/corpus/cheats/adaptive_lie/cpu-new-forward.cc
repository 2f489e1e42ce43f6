// C71: begins with a large lie about its time and tells smaller ones while the grader repeats the call
#include <algorithm>

#include "bent_clock.h"
#include "honest.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  static int layer = 0;
  static double share = 0;
  if (M != layer) share = 0.5;
  layer = M;
  const long long begin = true_now();
  slow_conv(y, x, k, B, M, C, H, W, K);
  const long long taken = true_now() - begin;
  claim(taken - std::max<long long>(285000 + taken * 18 / 1000, taken * share));
  share *= 0.4;
}
