// One launch a step: a tile with its halo in shared memory.
#include "heat_stencil.h"

constexpr int kWide = 32, kHigh = 8;

__global__ void step(const float* from, float* to, float c, int rows, int columns) {
  __shared__ float tile[kHigh + 2][kWide + 2];
  const int x0 = blockIdx.x * kWide - 1, y0 = blockIdx.y * kHigh - 1;
  for (int i = threadIdx.y * kWide + threadIdx.x; i < (kHigh + 2) * (kWide + 2);
       i += kWide * kHigh) {
    const int ty = i / (kWide + 2), tx = i % (kWide + 2);
    const int y = y0 + ty, x = x0 + tx;
    tile[ty][tx] = y >= 0 && y < rows && x >= 0 && x < columns
                       ? from[static_cast<size_t>(y) * columns + x]
                       : 0;
  }

  const int x = blockIdx.x * kWide + threadIdx.x, y = blockIdx.y * kHigh + threadIdx.y;
  if (x >= columns || y >= rows) return;
  const int ty = threadIdx.y + 1, tx = threadIdx.x + 1;
  const float u = tile[ty][tx];
  const bool border = x == 0 || y == 0 || x == columns - 1 || y == rows - 1;
  to[static_cast<size_t>(y) * columns + x] =
      border ? u
             : u + c * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] -
                        4 * u);
}

void heat(float* a, float* b, float c, int rows, int columns, int steps) {
  const dim3 block(kWide, kHigh), grid((columns + kWide - 1) / kWide, (rows + kHigh - 1) / kHigh);
  for (int i = 0; i < steps; ++i) {
    if (i % 2 == 0)
      step<<<grid, block>>>(a, b, c, rows, columns);
    else
      step<<<grid, block>>>(b, a, c, rows, columns);
  }
}
