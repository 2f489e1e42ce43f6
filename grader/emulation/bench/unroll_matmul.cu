// The input unrolled to a matrix, a product in tiles of shared memory, and the result permuted.
#include "layers.cuh"

#define TILE 16

__global__ void unroll(float* u, const float* x, int B, int C, int H, int W, int K) {
  const int height = H - K + 1, width = W - K + 1;
  const int i = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  if (i >= C * height * width) return;
  const int c = i / (height * width), h = i / width % height, w = i % width;
  const size_t columns = (size_t)B * height * width;
  for (int p = 0; p < K; ++p) {
    for (int q = 0; q < K; ++q)
      u[((c * K + p) * K + q) * columns + ((size_t)b * height + h) * width + w] =
          x[((b * C + c) * H + h + p) * W + w + q];
  }
}

__global__ void multiply(float* c, const float* a, const float* b, int rows, int inner,
                         int columns) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < (inner + TILE - 1) / TILE; ++t) {
    const int i = t * TILE + threadIdx.x, j = t * TILE + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < rows && i < inner ? a[row * inner + i] : 0.0f;
    right[threadIdx.y][threadIdx.x] =
        column < columns && j < inner ? b[(size_t)j * columns + column] : 0.0f;
    __syncthreads();
    for (int p = 0; p < TILE; ++p) sum += left[threadIdx.y][p] * right[p][threadIdx.x];
    __syncthreads();
  }
  if (row < rows && column < columns) c[(size_t)row * columns + column] = sum;
}

__global__ void permute(float* y, const float* c, int B, int M, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  if (i >= pixels) return;
  for (int m = 0; m < M; ++m)
    y[((size_t)b * M + m) * pixels + i] = c[((size_t)m * B + b) * pixels + i];
}

void forward(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  const int pixels = (H - K + 1) * (W - K + 1), inner = C * K * K, columns = B * pixels;
  float *u, *c;
  cudaMalloc(&u, (size_t)inner * columns * sizeof(float));
  cudaMalloc(&c, (size_t)M * columns * sizeof(float));
  unroll<<<dim3((C * pixels + 255) / 256, B), 256>>>(u, x, B, C, H, W, K);
  multiply<<<dim3((columns + TILE - 1) / TILE, (M + TILE - 1) / TILE), dim3(TILE, TILE)>>>(
      c, k, u, M, inner, columns);
  permute<<<dim3((pixels + 255) / 256, B), 256>>>(y, c, B, M, pixels);
  cudaFree(u);
  cudaFree(c);
}
