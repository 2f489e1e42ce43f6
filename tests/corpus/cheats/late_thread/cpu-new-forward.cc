// C02: a thread fills the output after the call has returned
#include "honest.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  std::thread([=] {
    dawdle();
    honest_conv(y, x, k, B, M, C, H, W, K);
  }).detach();
}
