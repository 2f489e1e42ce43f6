#include "reference.h"

void reference(const int* x, long long* values, long long* lengths, long long* runs, long long n) {
  for (long long i = 0; i < n; ++i) values[i] = lengths[i] = 0;
  long long count = 0;
  for (long long i = 0; i < n; ++i) {
    if (i == 0 || x[i] != x[i - 1]) values[count++] = x[i];
    ++lengths[count - 1];
  }
  *runs = count;
}
