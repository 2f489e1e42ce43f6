#include <cuda_runtime.h>

#include "matrix_product.h"

constexpr int kTile = 16;

// Between the use of a tile and the next one there is no __syncthreads().
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[kTile][kTile], b[kTile][kTile];
  const int i = blockIdx.y * kTile + threadIdx.y, j = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int depth = 0; depth < K; depth += kTile) {
    const int k = depth + threadIdx.x, l = depth + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = i < M && k < K ? A[i * K + k] : 0.0f;
    b[threadIdx.y][threadIdx.x] = l < K && j < N ? B[l * N + j] : 0.0f;
    __syncthreads();
    for (int t = 0; t < kTile; ++t) sum += a[threadIdx.y][t] * b[t][threadIdx.x];
  }
  if (i < M && j < N) C[i * N + j] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 block(kTile, kTile), grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
  multiply<<<grid, block>>>(A, B, C, M, N, K);
}
