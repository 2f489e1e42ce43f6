// C27: multiplies with 10 bits of mantissa, as TF32 and FP16 do
#include <cstring>
#include <vector>

#include "honest.h"

static std::vector<float> rounded(const float* from, long count) {
  std::vector<float> to(from, from + count);
  for (float& f : to) {
    unsigned bits;
    memcpy(&bits, &f, 4);
    bits = (bits + 0x1000) & ~0x1fffu;
    memcpy(&f, &bits, 4);
  }
  return to;
}

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  honest_conv(y, rounded(x, (long)B * C * H * W).data(), rounded(k, (long)M * C * K * K).data(), B, M, C, H, W, K);
}
