// The corrected twin of broken.cu.
__global__ void taps(float* x, int n) {
  float window[4];
  for (int i = 0; i < n; ++i) window[i] = x[i];
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += window[i];
  x[32 + threadIdx.x] = sum;
}

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMemset(x, 0, 64 * sizeof(float));
  taps<<<1, 32>>>(x, 4);
  cudaFree(x);
  return 0;
}
