#include "histogram.h"

void histogram(const unsigned char* x, unsigned int* bins, int n) {
  for (int i = 0; i < n; ++i) ++bins[x[i]];
}
