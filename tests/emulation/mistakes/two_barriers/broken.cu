// The two sides of a branch wait at different barriers.
__global__ void sides(float* x) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x < 32) {
    __syncthreads();  // here
    x[threadIdx.x] = s[63 - threadIdx.x];
  } else {
    __syncthreads();
    x[threadIdx.x] = 0.0f;
  }
}

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMemset(x, 0, 64 * sizeof(float));
  sides<<<1, 64>>>(x);
  cudaFree(x);
  return 0;
}
