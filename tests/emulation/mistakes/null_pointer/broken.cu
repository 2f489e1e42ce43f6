// An allocation fails, nobody looks, and the kernel follows the null pointer.
__global__ void one(float* x) { x[threadIdx.x] = 1.0f; }  // here

extern "C" int run() {
  float* x = nullptr;
  cudaMalloc(&x, 1ull << 50);
  one<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
  return 0;
}
