// The buffer is freed before the last kernel uses it.
__global__ void one(float* x) { x[threadIdx.x] = 1.0f; }  // here

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  one<<<1, 32>>>(x);
  cudaFree(x);
  one<<<1, 32>>>(x);
  return 0;
}
