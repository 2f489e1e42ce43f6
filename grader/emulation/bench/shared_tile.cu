// A block loads its tile of the input, with the halo, into shared memory; weights are constant.
#include "layers.cuh"

#define TILE 16
__constant__ float weights[16 * 4 * 7 * 7];

__global__ void conv(float* y, const float* x, int B, int M, int C, int H, int W, int K) {
  extern __shared__ float tile[];
  const int height = H - K + 1, width = W - K + 1, side = TILE + K - 1;
  const int tiles = (width + TILE - 1) / TILE;
  const int h0 = blockIdx.y / tiles * TILE, w0 = blockIdx.y % tiles * TILE;
  const int m = blockIdx.x, b = blockIdx.z;
  for (int i = threadIdx.y * TILE + threadIdx.x; i < C * side * side; i += TILE * TILE) {
    const int c = i / (side * side), h = h0 + i / side % side, w = w0 + i % side;
    tile[i] = h < H && w < W ? x[((b * C + c) * H + h) * W + w] : 0.0f;
  }
  __syncthreads();
  const int h = h0 + threadIdx.y, w = w0 + threadIdx.x;
  if (h >= height || w >= width) return;
  float sum = 0;
  for (int c = 0; c < C; ++c) {
    for (int p = 0; p < K; ++p) {
      for (int q = 0; q < K; ++q)
        sum += tile[(c * side + threadIdx.y + p) * side + threadIdx.x + q] *
               weights[((m * C + c) * K + p) * K + q];
    }
  }
  y[((b * M + m) * height + h) * width + w] = sum;
}

void forward(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  cudaMemcpyToSymbol(weights, k, M * C * K * K * sizeof(float), 0, cudaMemcpyDeviceToDevice);
  const int tiles = ((H - K + TILE) / TILE) * ((W - K + TILE) / TILE), side = TILE + K - 1;
  conv<<<dim3(M, tiles, B), dim3(TILE, TILE), C * side * side * sizeof(float)>>>(y, x, B, M, C, H,
                                                                                 W, K);
}
