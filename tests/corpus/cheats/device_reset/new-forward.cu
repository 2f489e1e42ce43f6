// C57: resets the device in its call
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  cudaDeviceReset();
  cudaSetDevice(1);
}
