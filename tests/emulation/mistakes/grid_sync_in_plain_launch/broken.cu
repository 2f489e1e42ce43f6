// A kernel with grid.sync() is launched without cudaLaunchCooperativeKernel.
#include <cooperative_groups.h>

__global__ void neighbours(int* values, int* sums) {
  values[blockIdx.x] = blockIdx.x;
  cooperative_groups::this_grid().sync();  // here
  sums[blockIdx.x] = values[(blockIdx.x + 1) % gridDim.x];
}

extern "C" int run() {
  int* values;
  cudaMalloc(&values, 16 * sizeof(int));
  int* sums = values + 8;
  neighbours<<<8, 1>>>(values, sums);
  cudaFree(values);
  return 0;
}
