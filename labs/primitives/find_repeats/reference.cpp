#include "reference.h"

void reference(const int* x, long long* places, long long n, long long* result) {
  *result = 0;
  for (long long i = 0; i + 1 < n; ++i)
    if (x[i] == x[i + 1]) places[(*result)++] = i;
}
