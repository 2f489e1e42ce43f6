// Atomic additions: right, and slow. Pragmas as an operator and by a macro.
#include "openmp_histogram.h"

#define FOR_ALL_THREADS _Pragma("omp parallel for")

void histogram(const unsigned char* bytes, int* bins, int n) {
  for (int b = 0; b < 256; ++b) bins[b] = 0;
  FOR_ALL_THREADS
  for (int i = 0; i < n; ++i) {
    _Pragma("omp atomic")++ bins[bytes[i]];
  }
}
