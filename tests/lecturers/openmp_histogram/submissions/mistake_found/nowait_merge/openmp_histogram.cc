// MISTAKE: nowait removes the barrier before one thread adds up the bins of all threads (race)
#include "openmp_histogram.h"

#include <omp.h>

#include <vector>

void histogram(const unsigned char* bytes, int* bins, int n) {
  for (int b = 0; b < 256; ++b) bins[b] = 0;
  std::vector<int> own(256 * omp_get_max_threads());
#pragma omp parallel
  {
    int* mine = &own[256 * omp_get_thread_num()];
#pragma omp for nowait
    for (int i = 0; i < n; ++i) ++mine[bytes[i]];
#pragma omp single
    for (int t = 0; t < omp_get_num_threads(); ++t) {
      for (int b = 0; b < 256; ++b) bins[b] += own[256 * t + b];
    }
  }
}
