__global__ void softmax_rows(const float* x, float* y, int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float largest = x[r * columns], sum = 0;
  for (int c = 1; c < columns; ++c) largest = fmaxf(largest, x[r * columns + c]);
  for (int c = 0; c < columns; ++c) sum += expf(x[r * columns + c] - largest);
  for (int c = 0; c < columns; ++c) y[r * columns + c] = expf(x[r * columns + c] - largest) / sum;
}

extern "C" void softmax(const float* x, float* y, int rows, int columns) {
  softmax_rows<<<(rows + 31) / 32, 32>>>(x, y, rows, columns);
}
