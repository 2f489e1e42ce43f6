#include "life.h"

__global__ void step(const int* now, int* next, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  int alive = -now[r * columns + c];
  for (int dr = rows - 1; dr <= rows + 1; ++dr)
    for (int dc = columns - 1; dc <= columns + 1; ++dc)
      alive += now[(r + dr) % rows * columns + (c + dc) % columns];
  next[r * columns + c] = alive == 3 || (alive == 2 && now[r * columns + c]);
}

void life(int* grid, int* scratch, int rows, int columns, int steps) {
  const dim3 block(32, 8), blocks((columns + 31) / 32, (rows + 7) / 8);
  int *now = grid, *next = scratch;
  for (int i = 0; i <= steps; ++i) {
    step<<<blocks, block>>>(now, next, rows, columns);
    int* const other = now;
    now = next;
    next = other;
  }
  if (now != grid) cudaMemcpy(grid, now, sizeof(int) * rows * columns, cudaMemcpyDeviceToDevice);
}
