// All threads of a block write the weights' first element and the block's number of images.
#include "honest.cuh"

__global__ void shared_facts(float* out, const float* k, int B) {
  __shared__ float first;
  __shared__ int images;
  first = k[0];  // here
  images = B;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = first * images;
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  float* scratch;
  cudaMalloc(&scratch, sizeof(float));
  shared_facts<<<1, 96>>>(scratch, k, B);
  cudaFree(scratch);
  honest_conv(y, x, k, B, M, C, H, W, K);
}
