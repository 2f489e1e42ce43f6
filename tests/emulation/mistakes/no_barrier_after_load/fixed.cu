// The corrected twin of broken.cu.
#define TILE 8

__global__ void square(float* y, const float* x, int n) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < n / TILE; ++t) {
    a[ty][tx] = x[row * n + t * TILE + tx];
    b[ty][tx] = x[(t * TILE + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  y[row * n + column] = sum;
}

extern "C" int run() {
  const int n = 32;
  float *x, *y;
  cudaMalloc(&x, n * n * sizeof(float));
  cudaMalloc(&y, n * n * sizeof(float));
  cudaMemset(x, 0, n * n * sizeof(float));
  square<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(y, x, n);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
