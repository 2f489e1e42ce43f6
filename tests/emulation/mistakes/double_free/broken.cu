// A pointer is freed twice.
extern "C" int run() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaFree(x);
  cudaFree(x);  // here
  return 0;
}
