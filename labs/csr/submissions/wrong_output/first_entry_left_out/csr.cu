__global__ void multiply(const int* row_start, const int* column, const float* value,
                         const float* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = row_start[row] + 1; i < row_start[row + 1]; ++i) sum += value[i] * x[column[i]];
  y[row] = sum;
}

extern "C" void spmv(const int* row_start, const int* column, const float* value, const float* x,
                     float* y, int rows, int columns, int nonzeros) {
  multiply<<<(rows + 127) / 128, 128>>>(row_start, column, value, x, y, rows);
}
