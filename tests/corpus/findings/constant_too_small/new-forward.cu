// A __constant__ array made for one term's masks, with host variables beside it.
#include "honest.cuh"

__constant__ float mask[16];
static float host_table[4096] = {1};

__global__ void constant(float* y, const float* x, int B, int M, int C, int H, int W, int K) {
  const int H_out = H - K + 1, W_out = W - K + 1;
  const long i = (long)blockIdx.x * 64 + threadIdx.x;
  if (i >= (long)B * M * H_out * W_out) return;
  const int w = i % W_out, h = i / W_out % H_out, m = i / ((long)W_out * H_out) % M,
            b = i / ((long)W_out * H_out * M);
  float sum = 0;
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++)
        sum += x[(((long)b * C + c) * H + h + p) * W + w + q] *
               mask[((m * C + c) * K + p) * K + q];  // here
  y[i] = sum;
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  host_table[B % 4096] = M;
  const size_t bytes = sizeof(float) * M * C * K * K;
  cudaMemcpyToSymbol(mask, k, bytes < sizeof mask ? bytes : sizeof mask, 0,
                     cudaMemcpyDeviceToDevice);
  constant<<<((long)B * M * (H - K + 1) * (W - K + 1) + 63) / 64, 64>>>(y, x, B, M, C, H, W, K);
}
