__global__ void multiply(const int* row_start, const int* column, const float* value,
                         const float* x, float* y, int dim) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= dim) return;
  float sum = 0;
  for (int i = row_start[row]; i < row_start[row + 1]; ++i) sum += value[i] * x[column[i]];
  y[row] = sum;
}

void spmv(const int* row_start, const int* column, const float* value, const float* x, float* y,
          int dim, int nonzeros) {
  multiply<<<dim / 128 + (dim < 128), 128>>>(row_start, column, value, x, y, dim);
}
