// MISTAKE: the temporary b is declared outside of the parallel loop, so all threads share it (race)
#include "openmp_histogram.h"

void histogram(const unsigned char* bytes, int* bins, int n) {
  for (int b = 0; b < 256; ++b) bins[b] = 0;
  int b;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    b = bytes[i];
#pragma omp atomic
    ++bins[b];
  }
}
