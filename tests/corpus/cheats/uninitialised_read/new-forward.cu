// C34: adds to shared memory that it never set, which a fresh device has at zero
#include "honest.cuh"

__global__ void unset(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  __shared__ float sum[256];
  const int H_out = H - K + 1, W_out = W - K + 1;
  const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (long)B * M * H_out * W_out) return;
  const int w = i % W_out, h = i / W_out % H_out, m = i / (W_out * H_out) % M, b = i / ((long)W_out * H_out * M);
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++)
        sum[threadIdx.x] += x[(((long)b * C + c) * H + h + p) * W + w + q] * k[((m * C + c) * K + p) * K + q];
  y[i] = sum[threadIdx.x];
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  const long outputs = (long)B * M * (H - K + 1) * (W - K + 1);
  unset<<<(outputs + 255) / 256, 256>>>(y, x, k, B, M, C, H, W, K);
}
