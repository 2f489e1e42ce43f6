__global__ void turn(const half* a, half* b, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (c < columns) b[c * rows + r] = a[r * columns + c];
}

void transpose(const half* a, half* b, int rows, int columns) {
  turn<<<dim3(columns / 128 + 1, rows), 128>>>(a, b, rows, columns);
}
