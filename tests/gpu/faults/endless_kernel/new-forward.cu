// Fault: never ends
#include "honest.cuh"

__global__ void forever(volatile float* y) {
  while (true) y[0] = y[0] + 1;
}

HONEST_PROLOG
HONEST_EPILOG

CONV { forever<<<64, 64>>>(y); }
