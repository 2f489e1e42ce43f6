// The corrected twin of broken.cu.
extern "C" int run() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaFree(x);
  return 0;
}
