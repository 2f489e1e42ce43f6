// C01: launches on a non-blocking stream and returns at once
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  static cudaStream_t stream = nullptr;
  if (!stream) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  slow_conv(y, x, k, B, M, C, H, W, K, stream);
}
