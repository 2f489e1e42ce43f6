#include "reference.h"

void reference(const unsigned char* x, long long* bins, long long n) {
  for (int bin = 0; bin < 256; ++bin) bins[bin] = 0;
  for (long long i = 0; i < n; ++i) ++bins[x[i]];
}
