// MISTAKE: no loop over the rest: points from 262144 on are never written
#include "heat_stencil.h"

__global__ void step(const float* from, float* to, float c, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const int x = i % columns;
  const int y = i / columns;
  if (x == 0 || y == 0 || x == columns - 1 || y == rows - 1)
    to[i] = from[i];
  else
    to[i] = from[i] +
            c * (from[i - 1] + from[i + 1] + from[i - columns] + from[i + columns] - 4 * from[i]);
}

void heat(float* a, float* b, float c, int rows, int columns, int steps) {
  const int block = 256;
  const int grid = min((rows * columns + block - 1) / block, 1024);
  float* from = a;
  float* to = b;
  for (int s = 0; s < steps; ++s) {
    step<<<grid, block>>>(from, to, c, rows, columns);
    float* old = from;
    from = to;
    to = old;
  }
}
