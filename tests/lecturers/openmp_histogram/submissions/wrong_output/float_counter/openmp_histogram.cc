// MISTAKE: floats count to 2^24 only
#include "openmp_histogram.h"

void histogram(const unsigned char* bytes, int* bins, int n) {
  float count[256] = {};
#pragma omp parallel for reduction(+ : count[:256])
  for (int i = 0; i < n; ++i) count[bytes[i]] += 1;
  for (int b = 0; b < 256; ++b) bins[b] = static_cast<int>(count[b]);
}
