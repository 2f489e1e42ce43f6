// The corrected twin of broken.cu.
__global__ void one(float* x) { x[threadIdx.y * 16 + threadIdx.x] = 1.0f; }

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 4096 * sizeof(float));
  one<<<1, dim3(16, 16)>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
  return 0;
}
