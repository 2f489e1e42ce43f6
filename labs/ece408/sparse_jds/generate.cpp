// The first row is the longest; the other entries fall into rows that still have room.
#include <algorithm>
#include <functional>
#include <random>

#include "reference.h"

void generate(unsigned long long seed, const int*, int* length, int* start, const int*,
              const float*, const float*, long long dim, long long nonzeros, long long longest) {
  std::mt19937_64 random(seed);
  std::fill(length, length + dim, 0);
  length[0] = static_cast<int>(longest);
  for (long long i = longest, row = 0; i < nonzeros; ++i) {
    row = static_cast<long long>(random() % dim);
    while (length[row] >= longest) row = (row + 1) % dim;
    ++length[row];
  }
  std::sort(length, length + dim, std::greater<>());
  for (long long k = 0, next = 0, rows = dim; k < longest; ++k) {
    while (rows > 0 && length[rows - 1] <= k) --rows;
    start[k] = static_cast<int>(next);
    next += rows;
  }
}
