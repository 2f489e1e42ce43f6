// A batch of one is divided by two: the grid has no blocks.
__global__ void one(float* x) { x[threadIdx.y * 16 + threadIdx.x] = 1.0f; }

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 4096 * sizeof(float));
  const int batch = 1;
  one<<<batch / 2, dim3(16, 16)>>>(x);  // here
  cudaDeviceSynchronize();
  cudaFree(x);
  return 0;
}
