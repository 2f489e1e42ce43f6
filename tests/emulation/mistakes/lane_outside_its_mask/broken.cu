// Lanes of the upper half vote with a mask of the lower half.
__global__ void votes(int* x) {
  x[threadIdx.x] = __any_sync(0x0000ffffu, x[threadIdx.x] > 0);  // here
}

extern "C" int run() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  cudaMemset(x, 0, 32 * sizeof(int));
  votes<<<1, 32>>>(x);
  cudaFree(x);
  return 0;
}
