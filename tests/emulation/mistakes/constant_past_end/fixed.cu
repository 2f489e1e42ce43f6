// The corrected twin of broken.cu.
#define K 3
__constant__ float mask[K * K];
__constant__ float other[K];

__global__ void sum(float* y, int side) {
  float s = other[0];
  for (int i = 0; i < side * side; ++i) s += mask[i];
  y[threadIdx.x] = s;
}

extern "C" int run() {
  float host[16] = {};
  float* y;
  cudaMalloc(&y, 32 * sizeof(float));
  cudaMemcpyToSymbol(mask, host, sizeof(mask));
  cudaMemcpyToSymbol(other, host, sizeof(other));
  sum<<<1, 32>>>(y, K);
  cudaFree(y);
  return 0;
}
