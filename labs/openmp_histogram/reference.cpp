#include "reference.h"

void reference(const unsigned char* x, long long* counts, long long n) {
  for (int value = 0; value < 256; ++value) counts[value] = 0;
  for (long long i = 0; i < n; ++i) ++counts[x[i]];
}
