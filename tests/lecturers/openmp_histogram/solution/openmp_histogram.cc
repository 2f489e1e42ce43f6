// Each thread counts in bins of its own; then they are added.
#include "openmp_histogram.h"

void histogram(const unsigned char* bytes, int* bins, int n) {
  int sum[256] = {};
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) ++sum[bytes[i]];
  for (int b = 0; b < 256; ++b) bins[b] = sum[b];
}
