// Threads without an output leave before a barrier that the others wait at.
#include "honest.cuh"

__global__ void leaving(float* y, const float* x, const float* k, int B, int M, int C, int H, int W,
                        int K) {
  __shared__ float sums[64];
  const int H_out = H - K + 1, W_out = W - K + 1;
  const long i = (long)blockIdx.x * 64 + threadIdx.x;
  if (i >= (long)B * M * H_out * W_out) return;
  const int w = i % W_out, h = i / W_out % H_out, m = i / ((long)W_out * H_out) % M,
            b = i / ((long)W_out * H_out * M);
  float sum = 0;
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++)
        sum += x[(((long)b * C + c) * H + h + p) * W + w + q] * k[((m * C + c) * K + p) * K + q];
  sums[threadIdx.x] = sum;
  __syncthreads();  // here
  y[i] = sums[threadIdx.x];
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  leaving<<<((long)B * M * (H - K + 1) * (W - K + 1) + 63) / 64 + 1, 64>>>(y, x, k, B, M, C, H, W,
                                                                           K);
}
