// Memory from malloc in a kernel is never freed.
__global__ void with_buffer(float* out, int n) {
  float* buffer = (float*)malloc(n * sizeof(float));  // here
  for (int i = 0; i < n; ++i) buffer[i] = i;
  out[threadIdx.x] = buffer[n - 1];
}

extern "C" int run() {
  float* out;
  cudaMalloc(&out, 32 * sizeof(float));
  with_buffer<<<1, 32>>>(out, 4);
  cudaFree(out);
  return 0;
}
