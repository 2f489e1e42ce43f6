// The last block is moved back until it fits: some outputs are written twice, with equal values.
#include "honest.cuh"

__global__ void shifted(float* y, const float* x, const float* k, int B, int M, int C, int H, int W,
                        int K) {
  const int H_out = H - K + 1, W_out = W - K + 1;
  const long size = (long)B * M * H_out * W_out;
  const long first = min((long)blockIdx.x * 64, max(size - 64, 0L));
  const long i = first + threadIdx.x;
  if (i >= size) return;
  const int w = i % W_out, h = i / W_out % H_out, m = i / ((long)W_out * H_out) % M,
            b = i / ((long)W_out * H_out * M);
  float sum = 0;
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++)
        sum += x[(((long)b * C + c) * H + h + p) * W + w + q] * k[((m * C + c) * K + p) * K + q];
  y[i] = sum;
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  shifted<<<((long)B * M * (H - K + 1) * (W - K + 1) + 63) / 64, 64>>>(y, x, k, B, M, C, H, W, K);
}
