// The corrected twin of broken.cu.
extern "C" int run() {
  float host[32] = {};
  float* x;
  cudaMalloc(&x, sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaFree(x);
  return 0;
}
