// More than 48 KiB of dynamic shared memory without asking for them.
__global__ void one(float* x) {
  extern __shared__ float s[];
  s[threadIdx.x] = 1.0f;
  x[threadIdx.x] = s[threadIdx.x];
}

extern "C" int run() {
  const int bytes = 64 * 1024;
  float* x;
  cudaMalloc(&x, 256 * sizeof(float));
  /* ask */
  one<<<1, 256, bytes>>>(x);  // here
  cudaDeviceSynchronize();
  cudaFree(x);
  return 0;
}
