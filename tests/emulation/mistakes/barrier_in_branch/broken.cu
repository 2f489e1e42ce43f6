// Only some threads of the block reach the barrier.
__global__ void halve(float* x, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x < n) {
    __syncthreads();  // here
    x[threadIdx.x] = s[threadIdx.x] / 2;
  }
}

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMemset(x, 0, 64 * sizeof(float));
  halve<<<1, 64>>>(x, 50);
  cudaFree(x);
  return 0;
}
