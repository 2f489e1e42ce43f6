// Threads of one block count into the same bins.
__global__ void count(unsigned* bins, const unsigned char* x) {
  __shared__ unsigned own[4];
  if (threadIdx.x < 4) own[threadIdx.x] = 0;
  __syncthreads();
  own[x[threadIdx.x] % 4]++;  // here
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

extern "C" int run() {
  unsigned char* x;
  unsigned* bins;
  cudaMalloc(&x, 128);
  cudaMalloc(&bins, 4 * sizeof(unsigned));
  cudaMemset(x, 0, 128);
  cudaMemset(bins, 0, 4 * sizeof(unsigned));
  count<<<1, 128>>>(bins, x);
  cudaFree(x);
  cudaFree(bins);
  return 0;
}
