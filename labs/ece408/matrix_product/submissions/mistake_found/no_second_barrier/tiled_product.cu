constexpr int kTile = 16;

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[kTile][kTile], b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < K; start += kTile) {
    const int k = start + threadIdx.x, l = start + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < M && k < K ? A[row * K + k] : 0;
    b[threadIdx.y][threadIdx.x] = l < K && column < N ? B[l * N + column] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
  }
  if (row < M && column < N) C[row * N + column] = sum;
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 block(kTile, kTile), blocks((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
  multiply<<<blocks, block>>>(A, B, C, M, N, K);
}
