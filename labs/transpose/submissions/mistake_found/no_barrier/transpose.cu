#include "transpose.h"

constexpr int kTile = 32;

__global__ void turn(const half* a, half* b, int rows, int columns) {
  __shared__ half tile[kTile][kTile + 1];
  int r = blockIdx.y * kTile + threadIdx.y, c = blockIdx.x * kTile + threadIdx.x;
  if (r < rows && c < columns)
    tile[threadIdx.y][threadIdx.x] = a[static_cast<long long>(r) * columns + c];
  r = blockIdx.y * kTile + threadIdx.x;
  c = blockIdx.x * kTile + threadIdx.y;
  if (r < rows && c < columns)
    b[static_cast<long long>(c) * rows + r] = tile[threadIdx.x][threadIdx.y];
}

void transpose(const half* a, half* b, int rows, int columns) {
  const dim3 block(kTile, kTile), blocks((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  turn<<<blocks, block>>>(a, b, rows, columns);
}
