// The corrected twin of broken.cu.
__global__ void add_one(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1.0f;
}

extern "C" int run() {
  const int n = 1000;
  float host[n] = {};
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
  add_one<<<(n + 255) / 256, 256>>>(y, x, n);
  cudaMemcpy(host, y, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
