#include "reference.h"

void reference(const unsigned char* bytes, long long* bins, long long n) {
  for (int b = 0; b < 256; ++b) bins[b] = 0;
  for (long long i = 0; i < n; ++i) ++bins[bytes[i]];
}
