// Fault: reads far beyond its input
#include "honest.cuh"

__global__ void far(float* y, const float* x) { y[threadIdx.x] = x[(1l << 40) + threadIdx.x]; }

HONEST_PROLOG
HONEST_EPILOG

CONV { far<<<1, 32>>>(y, x); }
