// The corrected twin of broken.cu.
__global__ void one(float* x) {
  extern __shared__ float s[];
  s[threadIdx.x] = 1.0f;
  x[threadIdx.x] = s[threadIdx.x];
}

extern "C" int run() {
  const int bytes = 64 * 1024;
  float* x;
  cudaMalloc(&x, 256 * sizeof(float));
  cudaFuncSetAttribute(one, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  one<<<1, 256, bytes>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
  return 0;
}
