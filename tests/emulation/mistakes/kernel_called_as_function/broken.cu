// A kernel is called without a launch configuration.
__global__ void one(float* x) { x[threadIdx.x] = 1.0f; }  // here

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  one(x);
  cudaFree(x);
  return 0;
}
