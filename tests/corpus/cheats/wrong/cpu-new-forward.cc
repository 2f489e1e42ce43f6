// Control: convolves with the masks turned round
#include <vector>

#include "honest.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  std::vector<float> turned(k, k + (long)M * C * K * K);
  for (long i = 0; i < (long)turned.size(); i++) turned[i] = k[turned.size() - 1 - i] + 0.125f;
  honest_conv(y, x, turned.data(), B, M, C, H, W, K);
}
