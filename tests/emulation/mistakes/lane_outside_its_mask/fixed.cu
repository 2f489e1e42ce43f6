// Each half names itself.
__global__ void votes(int* x) {
  const unsigned half = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
  x[threadIdx.x] = __any_sync(half, x[threadIdx.x] > 0);
}

extern "C" int run() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  cudaMemset(x, 0, 32 * sizeof(int));
  votes<<<1, 32>>>(x);
  cudaFree(x);
  return 0;
}
