#include "matmul.h"

// A block computes a tile of 64 x 64 elements of C. Each of its 256 threads computes 4 x 4 of them.
constexpr int kTile = 64, kDepth = 16, kEach = 4, kSide = kTile / kEach;

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[kDepth][kTile + 1];
  __shared__ float b[kDepth][kTile];
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const int thread = threadIdx.y * kSide + threadIdx.x;
  float sum[kEach][kEach] = {};
  for (int depth = 0; depth < K; depth += kDepth) {
    for (int i = thread; i < kTile * kDepth; i += kSide * kSide) {
      const int r = row + i / kDepth, k = depth + i % kDepth;
      a[i % kDepth][i / kDepth] = r < M && k < K ? A[(size_t)r * K + k] : 0.0f;
      const int l = depth + i / kTile, c = column + i % kTile;
      b[i / kTile][i % kTile] = l < K && c < N ? B[(size_t)l * N + c] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < kDepth; ++k)
      for (int r = 0; r < kEach; ++r)
        for (int c = 0; c < kEach; ++c)
          sum[r][c] += a[k][threadIdx.y * kEach + r] * b[k][threadIdx.x + c * kSide];
    __syncthreads();
  }
  for (int r = 0; r < kEach; ++r)
    for (int c = 0; c < kEach; ++c) {
      const int i = row + threadIdx.y * kEach + r, j = column + threadIdx.x + c * kSide;
      if (i < M && j < N) C[(size_t)i * N + j] = sum[r][c];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile), block(kSide, kSide);
  multiply<<<grid, block>>>(A, B, C, M, N, K);
}
