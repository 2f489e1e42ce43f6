// Operators of half2 on elements behind the end, through a table of functions that keeps the
// header's code apart.
#include <cuda_fp16.h>

#include "honest.cuh"

__global__ void doubled(__half* out, const __half* in, long behind) {
  out[threadIdx.x] += in[behind + threadIdx.x];  // here
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  __half *in, *out;
  cudaMalloc(&in, 64 * sizeof(__half));
  cudaMalloc(&out, 64 * sizeof(__half));
  cudaMemset(in, 0, 64 * sizeof(__half));
  cudaMemset(out, 0, 64 * sizeof(__half));
  doubled<<<1, 32>>>(out, in, 48);
  cudaFree(in);
  cudaFree(out);
  honest_conv(y, x, k, B, M, C, H, W, K);
}
