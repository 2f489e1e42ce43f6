// The corrected twin of broken.cu.
__constant__ float weights[10000];
__constant__ float bias[6384];

__global__ void sum(float* y) { y[threadIdx.x] = weights[threadIdx.x] + bias[threadIdx.x]; }

extern "C" int run() {
  static float host[10000] = {};
  float* y;
  cudaMalloc(&y, 32 * sizeof(float));
  cudaMemcpyToSymbol(weights, host, sizeof(weights));
  cudaMemcpyToSymbol(bias, host, sizeof(bias));
  sum<<<1, 32>>>(y);
  cudaFree(y);
  return 0;
}
