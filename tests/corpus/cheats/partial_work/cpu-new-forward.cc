// C28: computes every second row and takes the row above for the others
#include "honest.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  const int W_out = W - K + 1, H_out = H - K + 1;
  for (long r = 0; r < (long)B * M; r++)
    for (int h = 0; h < H_out; h++)
      for (int w = 0; w < W_out; w++) {
        const long to = (r * H_out + h) * W_out + w;
        y[to] = 0;
        if (h % 2 == 1) {
          y[to] = y[to - W_out];
          continue;
        }
        for (int c = 0; c < C; c++)
          for (int p = 0; p < K; p++)
            for (int q = 0; q < K; q++)
              y[to] += x[((r / M * C + c) * H + h + p) * W + w + q] * k[((r % M * C + c) * K + p) * K + q];
      }
}
