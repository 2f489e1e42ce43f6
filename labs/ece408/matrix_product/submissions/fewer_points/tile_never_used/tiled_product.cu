// A thread for each element; the tile is written, and never saves a load.
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[16][16];
  tile[threadIdx.y][threadIdx.x] = 0;
  __syncthreads();
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    tile[threadIdx.y][threadIdx.x] = A[row * K + k];
    sum += tile[threadIdx.y][threadIdx.x] * B[k * N + column];
  }
  C[row * N + column] = sum;
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 block(16, 16), blocks((N + 15) / 16, (M + 15) / 16);
  multiply<<<blocks, block>>>(A, B, C, M, N, K);
}
