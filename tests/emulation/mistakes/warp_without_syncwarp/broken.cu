// Lanes of a warp read what others of it wrote, trusting in lockstep.
__global__ void swap_pairs(float* x) {
  __shared__ float s[32];
  s[threadIdx.x] = x[threadIdx.x];
  /* together */
  x[threadIdx.x] = s[threadIdx.x ^ 1];  // here
}

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaMemset(x, 0, 32 * sizeof(float));
  swap_pairs<<<1, 32>>>(x);
  cudaFree(x);
  return 0;
}
