// Half of the batch is never computed, and copied back all the same.
__global__ void ones(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}

extern "C" int run() {
  const int batch = 7, each = 64;
  float host[batch * each];
  float* y;
  cudaMalloc(&y, sizeof(host));
  ones<<<batch / 2 * 2, each>>>(y, batch * each);  // here
  cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(y);
  return 0;
}
