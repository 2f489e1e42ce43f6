// A row to a block; the border of b comes from one copy of all of a.
#include "heat_stencil.h"

__global__ void step(const float* __restrict__ from, float* __restrict__ to, float c, int columns) {
  const float* u = from + static_cast<long long>(blockIdx.x + 1) * columns;
  float* v = to + static_cast<long long>(blockIdx.x + 1) * columns;
  for (int x = threadIdx.x + 1; x < columns - 1; x += blockDim.x)
    v[x] = u[x] + c * (u[x - 1] + u[x + 1] + u[x - columns] + u[x + columns] - 4 * u[x]);
}

extern "C" void heat(float* a, float* b, float c, int rows, int columns, int steps) {
  cudaMemcpy(b, a, sizeof(float) * rows * columns, cudaMemcpyDeviceToDevice);
  if (rows < 3 || columns < 3) return;
  for (int i = 0; i < steps; ++i)
    i % 2 ? step<<<rows - 2, 128>>>(b, a, c, columns) : step<<<rows - 2, 128>>>(a, b, c, columns);
}
