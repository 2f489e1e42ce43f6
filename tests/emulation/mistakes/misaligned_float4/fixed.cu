// The corrected twin of broken.cu.
__global__ void copy_rows(float* y, const float* x, int width) {
  const float* row = x + threadIdx.x * width;
  const float4 v = *reinterpret_cast<const float4*>(row);
  y[threadIdx.x] = v.x + v.y + v.z + v.w;
}

extern "C" int run() {
  const int width = 8;
  float *x, *y;
  cudaMalloc(&x, 8 * 8 * sizeof(float));
  cudaMalloc(&y, 8 * sizeof(float));
  cudaMemset(x, 0, 8 * 8 * sizeof(float));
  copy_rows<<<1, 8>>>(y, x, width);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
