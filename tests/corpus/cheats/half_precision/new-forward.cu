// C27: multiplies and adds in FP16
#include "honest.cuh"

#include <cuda_fp16.h>

__global__ void half_conv(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  const int H_out = H - K + 1, W_out = W - K + 1;
  const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (long)B * M * H_out * W_out) return;
  const int w = i % W_out, h = i / W_out % H_out, m = i / (W_out * H_out) % M, b = i / ((long)W_out * H_out * M);
  __half sum = __float2half(0.0f);
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++)
        sum = __hadd(sum, __hmul(__float2half(x[(((long)b * C + c) * H + h + p) * W + w + q]),
                                 __float2half(k[((m * C + c) * K + p) * K + q])));
  y[i] = __half2float(sum);
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  const long outputs = (long)B * M * (H - K + 1) * (W - K + 1);
  half_conv<<<(outputs + 255) / 256, 256>>>(y, x, k, B, M, C, H, W, K);
}
