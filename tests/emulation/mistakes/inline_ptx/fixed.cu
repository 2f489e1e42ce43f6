// The corrected twin of broken.cu.
__global__ void lanes(int* x) {
  int lane = 0;
  lane = threadIdx.x % 32;
  x[threadIdx.x] = lane;
}

extern "C" int run() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  lanes<<<1, 32>>>(x);
  cudaFree(x);
  return 0;
}
