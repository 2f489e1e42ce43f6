// The corrected twin of broken.cu.
__global__ void one(float* x) { x[threadIdx.y * 16 + threadIdx.x] = 1.0f; }

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 4096 * sizeof(float));
  one<<<1, 256>>>(x);
  if (cudaGetLastError() != cudaSuccess) printf("refused\n");
  cudaDeviceSynchronize();
  cudaFree(x);
  return 0;
}
