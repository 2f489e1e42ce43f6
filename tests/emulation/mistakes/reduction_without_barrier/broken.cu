// A tree reduction has its barrier outside of the loop.
__global__ void reduce(float* y, const float* x) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];  // here
    /* in the loop */
  }
  if (threadIdx.x == 0) y[0] = s[0];
}

extern "C" int run() {
  float *x, *y;
  cudaMalloc(&x, 256 * sizeof(float));
  cudaMalloc(&y, sizeof(float));
  cudaMemset(x, 0, 256 * sizeof(float));
  reduce<<<1, 256>>>(y, x);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
