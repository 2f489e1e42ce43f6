// MISTAKE: the bins are not set to 0: the reduction adds the counts to whatever was there
#include "openmp_histogram.h"

void histogram(const unsigned char* bytes, int* bins, int n) {
  // The reduction starts each thread's copy at 0.
#pragma omp parallel for reduction(+ : bins[:256])
  for (int i = 0; i < n; ++i) ++bins[bytes[i]];
}
