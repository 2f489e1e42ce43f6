#include "sparse_jds.h"

void spmv_jds(const int* permutation, const int* length, const int* start, const int* column,
              const float* value, const float* x, float* y, int dim, int nonzeros, int longest) {
  // TODO: your solution, as README.md describes it.
}
