// C33: lacks a __syncthreads and is right most of the time
#include "honest.cuh"

__global__ void racy(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  __shared__ float mask[2048];
  const int H_out = H - K + 1, W_out = W - K + 1, size = C * K * K;
  const int m = blockIdx.y, b = blockIdx.z;
  const bool fits = size <= 2048;
  for (int i = threadIdx.x; fits && i < size; i += blockDim.x) mask[i] = k[m * size + i];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= H_out * W_out) return;
  const int w = i % W_out, h = i / W_out;
  float sum = 0;
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++) {
        const int at = (c * K + p) * K + q;
        sum += x[(((long)b * C + c) * H + h + p) * W + w + q] * (fits ? mask[at] : k[m * size + at]);
      }
  y[((long)b * M + m) * H_out * W_out + i] = sum;
}

HONEST_PROLOG
HONEST_EPILOG

CONV { racy<<<dim3(((H - K + 1) * (W - K + 1) + 255) / 256, M, B), 256>>>(y, x, k, B, M, C, H, W, K); }
