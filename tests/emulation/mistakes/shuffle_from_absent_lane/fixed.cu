// The corrected twin of broken.cu.
__global__ void neighbours(float* x, int n) {
  float v = x[threadIdx.x];
  v = __shfl_down_sync(0xffffffffu, v, 8);
  if (threadIdx.x < n) {
    x[threadIdx.x] = v;
  }
}

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaMemset(x, 0, 32 * sizeof(float));
  neighbours<<<1, 32>>>(x, 16);
  cudaFree(x);
  return 0;
}
