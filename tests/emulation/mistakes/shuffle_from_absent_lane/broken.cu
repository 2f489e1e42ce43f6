// A shuffle in a branch asks lanes that are not in it.
__global__ void neighbours(float* x, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x < n) {
    v = __shfl_down_sync(0x0000ffffu, v, 8);  // here
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
