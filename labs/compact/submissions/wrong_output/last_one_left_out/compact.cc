#include "compact.h"

int compact(const int* x, int* kept, int n) {
  int count = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0) kept[count++] = x[i];
  return count;
}
