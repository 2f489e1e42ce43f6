// The corrected twin of broken.cu.
__global__ void with_buffer(float* out, int n) {
  float* buffer = (float*)malloc(n * sizeof(float));
  for (int i = 0; i < n; ++i) buffer[i] = i;
  out[threadIdx.x] = buffer[n - 1];
  free(buffer);
}

extern "C" int run() {
  float* out;
  cudaMalloc(&out, 32 * sizeof(float));
  with_buffer<<<1, 32>>>(out, 4);
  cudaFree(out);
  return 0;
}
