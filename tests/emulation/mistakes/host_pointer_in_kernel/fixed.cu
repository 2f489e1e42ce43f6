// The corrected twin of broken.cu.
#include <vector>

__global__ void scale(float* x, const float* factor) {
  x[threadIdx.x] = x[threadIdx.x] * factor[0];
}

extern "C" int run() {
  std::vector<float> factor(1, 2.0f);
  float *x, *f;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaMalloc(&f, sizeof(float));
  cudaMemset(x, 0, 32 * sizeof(float));
  cudaMemcpy(f, factor.data(), sizeof(float), cudaMemcpyHostToDevice);
  scale<<<1, 32>>>(x, f);
  cudaFree(x);
  cudaFree(f);
  return 0;
}
