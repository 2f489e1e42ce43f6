// A pointer to a local variable is given to another thread.
__global__ void share(int* x) {
  __shared__ int* where;
  int own[2] = {(int)threadIdx.x, 7};
  if (threadIdx.x == 0) where = own;
  __syncthreads();
  x[threadIdx.x] = where[threadIdx.x & 1];  // here
  __syncthreads();
}

extern "C" int run() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  share<<<1, 32>>>(x);
  cudaFree(x);
  return 0;
}
