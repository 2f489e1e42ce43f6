// A parameter by reference leads to the host's stack.
struct Limits {
  int low, high;
};

__global__ void clamp(const Limits& limits, int* x) {
  x[threadIdx.x] = max(limits.low, min(limits.high, x[threadIdx.x]));  // here
}

extern "C" int run() {
  int* x;
  const Limits limits{1, 3};
  cudaMalloc(&x, 32 * sizeof(int));
  cudaMemset(x, 0, 32 * sizeof(int));
  clamp<<<1, 32>>>(limits, x);
  cudaFree(x);
  return 0;
}
