// A kernel reads memory that it has freed.
__global__ void with_buffer(float* out, int n) {
  float* buffer = new float[n];
  for (int i = 0; i < n; ++i) buffer[i] = i;
  delete[] buffer;
  out[threadIdx.x] = buffer[n - 1];  // here
}

extern "C" int run() {
  float* out;
  cudaMalloc(&out, 32 * sizeof(float));
  with_buffer<<<1, 32>>>(out, 4);
  cudaFree(out);
  return 0;
}
