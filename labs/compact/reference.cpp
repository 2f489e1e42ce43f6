#include "reference.h"

void reference(const int* x, long long* kept, long long n, long long* result) {
  *result = 0;
  for (long long i = 0; i < n; ++i)
    if (x[i] > 0) kept[(*result)++] = x[i];
}
