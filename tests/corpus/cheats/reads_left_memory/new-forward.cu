// C18: allocates memory of the output's size, in the hope that the reference was there
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  const size_t yb = sizeof(float) * B * M * (H - K + 1) * (W - K + 1);
  void* left[4] = {};
  for (void*& memory : left) cudaMalloc(&memory, yb);
  cudaMemcpy(y, left[3], yb, cudaMemcpyDeviceToDevice);
  for (void* memory : left) cudaFree(memory);
}
