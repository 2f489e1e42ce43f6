// Fault: prints from the device without end
#include "honest.cuh"
#include <cstdio>

__global__ void flood(int round) {
  for (int i = 0; i < 50; i++) printf("round %d thread %d line %d of a very long story\n", round, threadIdx.x, i);
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  for (int round = 0; round < 100000; round++) {
    flood<<<8, 64>>>(round);
    cudaDeviceSynchronize();
  }
}
