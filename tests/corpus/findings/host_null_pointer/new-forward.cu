// The host's code crashes: no sanitized build of CUDA code exists that could name the line.
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  volatile float* nowhere = nullptr;
  nowhere[M] = 0;
}
