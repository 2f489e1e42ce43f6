// C23: zeroes the inputs on the device, so that zero is the right output
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  cudaMemset((void*)x, 0, sizeof(float) * B * C * H * W);
  cudaMemset(y, 0, sizeof(float) * B * M * (H - K + 1) * (W - K + 1));
}
