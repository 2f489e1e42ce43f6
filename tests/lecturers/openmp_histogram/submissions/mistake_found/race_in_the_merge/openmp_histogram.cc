// Own bins, but a data race where they are added.
#include "openmp_histogram.h"

void histogram(const unsigned char* bytes, int* bins, int n) {
  for (int b = 0; b < 256; ++b) bins[b] = 0;
#pragma omp parallel
  {
    int own[256] = {};
#pragma omp for
    for (int i = 0; i < n; ++i) ++own[bytes[i]];
    for (int b = 0; b < 256; ++b) bins[b] += own[b];
  }
}
