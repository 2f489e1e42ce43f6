// MISTAKE: the border is copied to b once, but without the four corners
#include "heat_stencil.h"

// b needs the border of a, because the steps only write the inside.
__global__ void copy_border(const float* a, float* b, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < columns - 1) {
    b[i] = a[i];
    b[(rows - 1) * columns + i] = a[(rows - 1) * columns + i];
  }
  if (i > 0 && i < rows - 1) {
    b[i * columns] = a[i * columns];
    b[i * columns + columns - 1] = a[i * columns + columns - 1];
  }
}

__global__ void step(const float* from, float* to, float c, int rows, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= columns - 1 || y >= rows - 1) return;
  const int i = y * columns + x;
  to[i] = from[i] +
          c * (from[i - 1] + from[i + 1] + from[i - columns] + from[i + columns] - 4 * from[i]);
}

void heat(float* a, float* b, float c, int rows, int columns, int steps) {
  const int longest = rows > columns ? rows : columns;
  copy_border<<<(longest + 255) / 256, 256>>>(a, b, rows, columns);
  const dim3 block(16, 16);
  const dim3 grid((columns + 15) / 16, (rows + 15) / 16);
  for (int s = 0; s < steps; ++s) {
    if (s % 2 == 0)
      step<<<grid, block>>>(a, b, c, rows, columns);
    else
      step<<<grid, block>>>(b, a, c, rows, columns);
  }
}
