// Rows of 0 to 16 entries, one as long as the matrix is wide, and nothing but NaN behind the last.
#include <cmath>
#include <random>

#include "reference.h"

void generate(unsigned long long seed, int* row_start, int* column, float* value, const float*,
              long long rows, long long columns, int* nonzeros) {
  std::mt19937_64 random(seed);
  const auto below = [&](long long n) { return static_cast<long long>(random() % n); };
  const long long longest = below(rows);
  long long n = 0;
  for (long long row = 0; row < rows; ++row) {
    row_start[row] = static_cast<int>(n);
    const long long entries = row == longest ? columns : below(4) == 0 ? 0 : below(17);
    for (long long i = 0; i < entries; ++i, ++n) {
      column[n] = static_cast<int>(row == longest ? i : below(columns));
      value[n] = static_cast<float>(below(2001) - 1000) / 1000;
    }
  }
  row_start[rows] = *nonzeros = static_cast<int>(n);
  for (; n < 16 * rows + columns; ++n) {
    column[n] = 0;
    value[n] = NAN;
  }
}
