// PTX is not emulated.
__global__ void lanes(int* x) {
  int lane = 0;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));  // here
  x[threadIdx.x] = lane;
}

extern "C" int run() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  lanes<<<1, 32>>>(x);
  cudaFree(x);
  return 0;
}
