// Wide tiles: 4 rows of A, 64 columns of B.
constexpr int kRows = 4, kColumns = 64;

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[kRows][kColumns], b[kColumns][kColumns];
  const int row = blockIdx.y * kRows + threadIdx.y, column = blockIdx.x * kColumns + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < K; start += kColumns) {
    const int k = start + threadIdx.x;
    a[threadIdx.y][threadIdx.x] = row < M && k < K ? A[row * K + k] : 0;
    for (int l = threadIdx.y; l < kColumns; l += kRows)
      b[l][threadIdx.x] = start + l < K && column < N ? B[(start + l) * N + column] : 0;
    __syncthreads();
    for (int i = 0; i < kColumns; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = sum;
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 block(kColumns, kRows);
  const dim3 blocks((N + kColumns - 1) / kColumns, (M + kRows - 1) / kRows);
  multiply<<<blocks, block>>>(A, B, C, M, N, K);
}
