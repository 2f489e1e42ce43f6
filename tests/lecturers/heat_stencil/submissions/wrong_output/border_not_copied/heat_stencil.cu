__global__ void step(const float* from, float* to, float c, int rows, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= columns - 1 || y >= rows - 1) return;
  const int i = y * columns + x;
  to[i] = from[i] +
          c * (from[i - 1] + from[i + 1] + from[i - columns] + from[i + columns] - 4 * from[i]);
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
