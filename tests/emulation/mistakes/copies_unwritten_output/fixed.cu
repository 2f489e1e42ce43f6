// The corrected twin of broken.cu.
__global__ void ones(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}

extern "C" int run() {
  const int batch = 7, each = 64;
  float host[batch * each];
  float* y;
  cudaMalloc(&y, sizeof(host));
  ones<<<batch, each>>>(y, batch * each);
  cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(y);
  return 0;
}
