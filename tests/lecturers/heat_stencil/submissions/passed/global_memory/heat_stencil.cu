__global__ void step(const float* from, float* to, float c, int rows, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  const int i = y * columns + x;
  if (x == 0 || y == 0 || x == columns - 1 || y == rows - 1) {
    to[i] = from[i];
    return;
  }
  to[i] = (1 - 4 * c) * from[i] +
          c * (from[i - 1] + from[i + 1] + from[i - columns] + from[i + columns]);
}

void heat(float* a, float* b, float c, int rows, int columns, int steps) {
  const dim3 block(16, 16), grid((columns + 15) / 16, (rows + 15) / 16);
  for (int i = 0; i < steps; ++i) {
    step<<<grid, block>>>(a, b, c, rows, columns);
    float* swap = a;
    a = b;
    b = swap;
  }
}
