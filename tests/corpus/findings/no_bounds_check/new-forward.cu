// No check of the last block's bounds: its threads behind the last output write to the input, which
// lies there on a GPU. Mostly all blocks have read that part before.
#include "honest.cuh"

__global__ void unchecked(float* y, const float* x, const float* k, int M, int C, int H, int W,
                          int K) {
  const int H_out = H - K + 1, W_out = W - K + 1;
  const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  const int w = i % W_out, h = i / W_out % H_out, m = i / ((long)W_out * H_out) % M,
            b = i / ((long)W_out * H_out * M);
  float sum = 0;
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++)
        sum += x[(((long)b * C + c) * H + h + p) * W + w + q] * k[((m * C + c) * K + p) * K + q];
  y[i] = sum;  // here
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  // Always 1 KiB too many: allocations lie on multiples of 512 bytes.
  const long outputs = (long)B * M * (H - K + 1) * (W - K + 1);
  unchecked<<<outputs / 256 + 2, 256>>>(y, x, k, M, C, H, W, K);
}
