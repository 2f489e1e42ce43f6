// One thread an output, everything from global memory.
#include "layers.cuh"

__global__ void conv(float* y, const float* x, const float* k, int B, int M, int C, int H, int W,
                     int K) {
  const int height = H - K + 1, width = W - K + 1;
  const int tiles = (width + 15) / 16;
  const int h = blockIdx.y / tiles * 16 + threadIdx.y, w = blockIdx.y % tiles * 16 + threadIdx.x;
  const int m = blockIdx.x, b = blockIdx.z;
  if (h >= height || w >= width) return;
  float sum = 0;
  for (int c = 0; c < C; ++c) {
    for (int p = 0; p < K; ++p) {
      for (int q = 0; q < K; ++q)
        sum += x[((b * C + c) * H + h + p) * W + w + q] * k[((m * C + c) * K + p) * K + q];
    }
  }
  y[((b * M + m) * height + h) * width + w] = sum;
}

void forward(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  const int tiles = ((H - K + 16) / 16) * ((W - K + 16) / 16);
  conv<<<dim3(M, tiles, B), dim3(16, 16)>>>(y, x, k, B, M, C, H, W, K);
}
