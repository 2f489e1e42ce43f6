// Fault: resets the device while its kernel runs
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  slow_conv(y, x, k, B, M, C, H, W, K);
  cudaDeviceReset();
}
