// C62: copies back and computes on the CPU
#include "honest.cuh"

#include <vector>

HONEST_PROLOG
HONEST_EPILOG

CONV {
  std::vector<float> hx((size_t)B * C * H * W), hk((size_t)M * C * K * K), hy((size_t)B * M * (H - K + 1) * (W - K + 1));
  cudaMemcpy(hx.data(), x, hx.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(hk.data(), k, hk.size() * sizeof(float), cudaMemcpyDeviceToHost);
  const int H_out = H - K + 1, W_out = W - K + 1;
  for (long i = 0; i < (long)hy.size(); i++) {
    const int w = i % W_out, h = i / W_out % H_out, m = i / (W_out * H_out) % M, b = i / ((long)W_out * H_out * M);
    for (int c = 0; c < C; c++)
      for (int p = 0; p < K; p++)
        for (int q = 0; q < K; q++)
          hy[i] += hx[(((long)b * C + c) * H + h + p) * W + w + q] * hk[((m * C + c) * K + p) * K + q];
  }
  cudaMemcpy(y, hy.data(), hy.size() * sizeof(float), cudaMemcpyHostToDevice);
}
