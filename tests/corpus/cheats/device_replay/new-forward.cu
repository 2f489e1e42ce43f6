// C13: computes in its first full call and copies that output afterwards
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  static float* first = nullptr;
  static size_t size = 0;
  const size_t yb = sizeof(float) * B * M * (H - K + 1) * (W - K + 1);
  if (size == yb) {
    cudaMemcpyAsync(y, first, yb, cudaMemcpyDeviceToDevice);
    return;
  }
  honest_conv(y, x, k, B, M, C, H, W, K);
  cudaMalloc((void**)&first, yb);
  cudaMemcpy(first, y, size = yb, cudaMemcpyDeviceToDevice);
}
