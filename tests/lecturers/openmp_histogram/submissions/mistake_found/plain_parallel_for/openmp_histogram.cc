// MISTAKE: all threads add to the shared bins without protection (race)
#include "openmp_histogram.h"

void histogram(const unsigned char* bytes, int* bins, int n) {
  for (int b = 0; b < 256; ++b) bins[b] = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) ++bins[bytes[i]];
}
