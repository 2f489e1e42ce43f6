// The host reads a result through the device pointer.
__global__ void one(float* x) { x[threadIdx.x] = 1.0f; }

extern "C" int run() {
  float* x;
  float first = 0;
  cudaMalloc(&x, 32 * sizeof(float));
  one<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  first = x[0];  // here
  cudaFree(x);
  return first > 100.0f;
}
