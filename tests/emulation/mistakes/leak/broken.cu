// A temporary buffer is never freed.
__global__ void one(float* x) { x[threadIdx.x] = 1.0f; }

extern "C" int run() {
  float* temporary;
  cudaMalloc(&temporary, 32 * sizeof(float));  // here
  one<<<1, 32>>>(temporary);
  return 0;
}
