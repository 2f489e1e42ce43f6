// Every thread writes the same __device__ variable.
__device__ int last;

__global__ void find(const int* x) {
  if (x[threadIdx.x] == 0) last = threadIdx.x;  // here
}

extern "C" int run() {
  int* x;
  int found = -1;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  cudaMemcpyToSymbol(last, &found, sizeof(int));
  find<<<1, 64>>>(x);
  cudaMemcpyFromSymbol(&found, last, sizeof(int));
  cudaFree(x);
  return 0;
}
