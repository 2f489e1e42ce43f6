// Rows by falling length (JDS): neighbouring threads read neighbouring entries.
__global__ void multiply(const int* permutation, const int* length, const int* start,
                         const int* column, const float* value, const float* x, float* y, int dim) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= dim) return;
  float sum = 0;
  for (int k = 0; k < length[row]; ++k) sum += value[start[k] + row] * x[column[start[k] + row]];
  y[row] = sum;
}

void spmv_jds(const int* permutation, const int* length, const int* start, const int* column,
              const float* value, const float* x, float* y, int dim, int nonzeros, int longest) {
  multiply<<<(dim + 255) / 256, 256>>>(permutation, length, start, column, value, x, y, dim);
}
