// A thread for each element.
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N || column >= M) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 block(16, 16), blocks((N + 15) / 16, (M + 15) / 16);
  multiply<<<blocks, block>>>(A, B, C, M, N, K);
}
