// A device assertion fails.
#include <cassert>

__global__ void fill(int* x, int n) {
  assert(threadIdx.x < n);  // here
  x[threadIdx.x] = 0;
}

extern "C" int run() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  fill<<<1, 32>>>(x, 16);
  cudaDeviceSynchronize();
  cudaFree(x);
  return 0;
}
