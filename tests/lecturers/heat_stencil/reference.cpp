#include "reference.h"

#include <cmath>
#include <utility>
#include <vector>

// Rounding of a step is bounded by the weighted sum of |terms|; steps add up.
void reference(const float* a, double* a_after, double* a_after_scale, float c, long long rows,
               long long columns, long long steps) {
  const long long all = rows * columns;
  std::vector<double> u(a, a + all), v(u), s(all), t;
  for (long long i = 0; i < all; ++i) s[i] = std::fabs(u[i]);
  t = s;
  const double k = c;
  for (long long step = 0; step < steps; ++step) {
    for (long long y = 1; y + 1 < rows; ++y)
      for (long long x = 1; x + 1 < columns; ++x) {
        const long long i = y * columns + x;
        v[i] = u[i] + k * (u[i - 1] + u[i + 1] + u[i - columns] + u[i + columns] - 4 * u[i]);
        t[i] = s[i] + k * (s[i - 1] + s[i + 1] + s[i - columns] + s[i + columns] - 4 * s[i]);
      }
    std::swap(u, v);
    std::swap(s, t);
  }
  for (long long i = 0; i < all; ++i) {
    a_after[i] = u[i];
    a_after_scale[i] = (1 + steps) * s[i];
  }
}
