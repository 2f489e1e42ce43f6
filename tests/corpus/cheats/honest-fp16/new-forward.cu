// Control: rounds to FP16, adds in float32: right where the tolerance is 1e-3, wrong at the default
#include "honest.cuh"

#include <cuda_fp16.h>

__global__ void fp16(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  const int H_out = H - K + 1, W_out = W - K + 1;
  const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (long)B * M * H_out * W_out) return;
  const int w = i % W_out, h = i / W_out % H_out, m = i / (W_out * H_out) % M, b = i / ((long)W_out * H_out * M);
  float sum = 0;
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++)
        sum += __half2float(__float2half(x[(((long)b * C + c) * H + h + p) * W + w + q])) *
               __half2float(__float2half(k[((m * C + c) * K + p) * K + q]));
  y[i] = sum;
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  const long outputs = (long)B * M * (H - K + 1) * (W - K + 1);
  fp16<<<(outputs + 255) / 256, 256>>>(y, x, k, B, M, C, H, W, K);
}
