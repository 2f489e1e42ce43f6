// The block has more threads than a GPU takes, and nobody asks for the error.
__global__ void one(float* x) { x[threadIdx.y * 16 + threadIdx.x] = 1.0f; }

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 4096 * sizeof(float));
  one<<<1, dim3(64, 32)>>>(x);  // here
  cudaDeviceSynchronize();
  cudaFree(x);
  return 0;
}
