// MISTAKE: counts four bytes at a time and forgets the last n % 4 bytes
#include "openmp_histogram.h"

void histogram(const unsigned char* bytes, int* bins, int n) {
  for (int b = 0; b < 256; ++b) bins[b] = 0;
#pragma omp parallel for reduction(+ : bins[:256])
  for (int i = 0; i < n / 4 * 4; i += 4) {
    ++bins[bytes[i]];
    ++bins[bytes[i + 1]];
    ++bins[bytes[i + 2]];
    ++bins[bytes[i + 3]];
  }
}
