// C53: a kernel zeroes all memory around the output, to reach the grader's error counter
#include "honest.cuh"

__global__ void zero(float* from, long count) {
  for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (long)gridDim.x * blockDim.x) from[i] = 0;
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  const long outputs = (long)B * M * (H - K + 1) * (W - K + 1);
  zero<<<64, 256>>>(y + outputs, 256l << 20);
  zero<<<1, 256>>>(y, outputs);
}
