#include "reference.h"

const char* validate(const int* row_start, const int* column, const float*, const float*,
                     long long dim, long long nonzeros) {
  if (row_start[0] != 0 || row_start[dim] != nonzeros) return "row_start has other ends";
  for (long long row = 0; row < dim; ++row)
    if (row_start[row + 1] < row_start[row]) return "row_start falls";
  for (long long i = 0; i < nonzeros; ++i)
    if (column[i] < 0 || column[i] >= dim) return "a column is outside of the matrix";
  return nullptr;
}
