// The copy that leaves its memory is the last thing its function does.
#include "honest.cuh"

#pragma GCC optimize("O2")  // so that a last call can take its caller's place

PROLOG {
  const size_t yb = sizeof(float) * B * M * (H - K + 1) * (W - K + 1),
               xb = sizeof(float) * B * C * H * W, kb = sizeof(float) * M * C * K * K;
  cudaMalloc((void**)dy, yb);
  cudaMalloc((void**)dx, xb);
  cudaMalloc((void**)dk, kb);
  cudaMemcpy(*dx, host_x, xb, cudaMemcpyHostToDevice);
  cudaMemcpy(*dk, host_k, kb + 4, cudaMemcpyHostToDevice);  // here
}
HONEST_EPILOG

CONV { honest_conv(y, x, k, B, M, C, H, W, K); }
