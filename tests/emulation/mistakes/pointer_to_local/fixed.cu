// The corrected twin of broken.cu.
__global__ void share(int* x) {
  __shared__ int where[2];
  int own[2] = {(int)threadIdx.x, 7};
  if (threadIdx.x == 0) where[0] = own[0], where[1] = own[1];
  __syncthreads();
  x[threadIdx.x] = where[threadIdx.x & 1];
  __syncthreads();
}

extern "C" int run() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  share<<<1, 32>>>(x);
  cudaFree(x);
  return 0;
}
