// MISTAKE: every thread sets the shared bins to 0 when it starts, with no barrier before the
// counting (race)
#include "openmp_histogram.h"

void histogram(const unsigned char* bytes, int* bins, int n) {
#pragma omp parallel
  {
    for (int b = 0; b < 256; ++b) bins[b] = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) {
#pragma omp atomic
      ++bins[bytes[i]];
    }
  }
}
