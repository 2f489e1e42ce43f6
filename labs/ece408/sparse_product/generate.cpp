// A third of the entries is in one row; of the other rows a quarter is empty.
#include <algorithm>
#include <random>
#include <vector>

#include "reference.h"

void generate(unsigned long long seed, int* row_start, const int*, const float*, const float*,
              long long dim, long long nonzeros) {
  std::mt19937_64 random(seed);
  const auto below = [&](long long n) { return static_cast<long long>(random() % n); };
  std::vector<bool> empty(dim);
  for (long long row = 0; row < dim; ++row) empty[row] = below(4) == 0;
  const long long longest = below(dim);
  std::fill(row_start, row_start + dim + 1, 0);
  for (long long i = 0; i < nonzeros; ++i) {
    const long long row = below(dim);
    ++row_start[1 + (i % 3 == 0 || empty[row] ? longest : row)];
  }
  for (long long row = 0; row < dim; ++row) row_start[row + 1] += row_start[row];
}
