// Takes room for the largest batch, as a program may that is made for one size.
#include "honest.cuh"

PROLOG { honest_prolog(host_y, host_x, host_k, dy, dx, dk, B, M, C, H, W, K); }
HONEST_EPILOG

CONV {
  float* room;
  if (cudaMalloc(&room, 3ul << 30) != cudaSuccess) return;
  cudaMemset(room, 0, 3ul << 30);
  honest_conv(y, x, k, B, M, C, H, W, K);
  cudaFree(room);
}
