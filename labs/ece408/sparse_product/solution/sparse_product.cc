#include "sparse_product.h"

void spmv(const int* row_start, const int* column, const float* value, const float* x, float* y,
          int dim, int nonzeros) {
  for (int row = 0; row < dim; ++row) {
    double sum = 0;
    for (int i = row_start[row]; i < row_start[row + 1]; ++i)
      sum += static_cast<double>(value[i]) * x[column[i]];
    y[row] = static_cast<float>(sum);
  }
}
