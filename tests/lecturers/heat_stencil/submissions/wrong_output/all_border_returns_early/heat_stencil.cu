// MISTAKE: a plate that is all border returns at once, so b never gets it when steps is odd
#include "heat_stencil.h"

// One step. The points of the border are copied.
__global__ void step(const float* from, float* to, float c, int rows, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  const int i = y * columns + x;
  if (x > 0 && x < columns - 1 && y > 0 && y < rows - 1) {
    to[i] = from[i] +
            c * (from[i - 1] + from[i + 1] + from[i - columns] + from[i + columns] - 4 * from[i]);
  } else {
    to[i] = from[i];
  }
}

void heat(float* a, float* b, float c, int rows, int columns, int steps) {
  if (rows < 3 || columns < 3) return;  // no point changes
  const dim3 block(16, 16);
  const dim3 grid((columns + 15) / 16, (rows + 15) / 16);
  float* from = a;
  float* to = b;
  for (int s = 0; s < steps; ++s) {
    step<<<grid, block>>>(from, to, c, rows, columns);
    float* old = from;
    from = to;
    to = old;
  }
}
