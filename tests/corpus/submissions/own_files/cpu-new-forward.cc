// Spread over files as students spread them: by the paths of their own project, in a folder, beside.
#include "../../src/layer/custom/cpu-new-forward.h"
#include "../../../m3/tile.tpp"
#include "lib/sizes.inc"

float window(const float *x, const float *k, int C, int H, int W, int K);

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  const int H_out = out_size(H, K), W_out = out_size(W, K);
  for (int b = 0; b < B; b++)
    for (int m = 0; m < M; m++)
      tile(H_out, W_out, [&](int h, int w) {
        const float *corner = x + ((long)b * C * H + h) * W + w;
        y[(((long)b * M + m) * H_out + h) * W_out + w] = window(corner, k + (long)m * C * K * K, C, H, W, K);
      });
}
