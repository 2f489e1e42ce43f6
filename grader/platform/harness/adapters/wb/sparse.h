/* Sparse matrices. */
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <numeric>
#include <vector>

/// Sorts rows by descending length; stores the first entries of all rows, then the second ones, and
/// so on.
inline void CSRToJDS(int dim, const int* row_start, const int* column, const float* value,
                     int** permutation, int** lengths, int** starts, int** columns,
                     float** values) {
  std::vector<int> order(static_cast<size_t>(dim));
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](int row) { return row_start[row + 1] - row_start[row]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return length(a) > length(b); });
  const auto ints = [](int n) { return static_cast<int*>(malloc(sizeof(int) * (n > 0 ? n : 1))); };
  const int entries = row_start[dim], longest = dim > 0 ? length(order[0]) : 0;
  *permutation = ints(dim);
  *lengths = ints(dim);
  *starts = ints(longest);
  *columns = ints(entries);
  *values = static_cast<float*>(malloc(sizeof(float) * (entries > 0 ? entries : 1)));
  for (int i = 0; i < dim; ++i) {
    (*permutation)[i] = order[static_cast<size_t>(i)];
    (*lengths)[i] = length(order[static_cast<size_t>(i)]);
  }
  for (int k = 0, next = 0; k < longest; ++k) {
    (*starts)[k] = next;
    for (int i = 0; i < dim && k < (*lengths)[i]; ++i, ++next) {
      (*columns)[next] = column[row_start[(*permutation)[i]] + k];
      (*values)[next] = value[row_start[(*permutation)[i]] + k];
    }
  }
}
