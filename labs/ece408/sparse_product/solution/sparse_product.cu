// A warp for each row: rows are long and short.
__global__ void multiply(const int* row_start, const int* column, const float* value,
                         const float* x, float* y, int dim) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= dim) return;
  float sum = 0;
  for (int i = row_start[row] + threadIdx.x % 32; i < row_start[row + 1]; i += 32)
    sum += value[i] * x[column[i]];
  for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}

void spmv(const int* row_start, const int* column, const float* value, const float* x, float* y,
          int dim, int nonzeros) {
  multiply<<<(dim + 7) / 8, 256>>>(row_start, column, value, x, y, dim);
}
