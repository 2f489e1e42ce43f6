// C37: defines cudaDeviceSynchronize and cudaEventElapsedTime
#include "honest.cuh"

HONEST_PROLOG

extern "C" cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }
extern "C" cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  *ms = 0.001f;
  return cudaSuccess;
}

CONV {
  static cudaStream_t stream = nullptr;
  if (!stream) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  slow_conv(y, x, k, B, M, C, H, W, K, stream);
}

EPILOG {
  cudaStreamSynchronize(0);
  honest_epilog(host_y, dy, dx, dk, B, M, C, H, W, K);
}
