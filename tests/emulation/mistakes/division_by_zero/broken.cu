// An integer is divided by zero.
__global__ void rows(int* x, int width) { x[threadIdx.x] = threadIdx.x / width; }  // here

extern "C" int run() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  rows<<<1, 32>>>(x, 0);
  cudaDeviceSynchronize();
  cudaFree(x);
  return 0;
}
