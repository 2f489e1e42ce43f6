#include "reference.h"

#include <cmath>

// Elements outside are 0.
void reference(const float* input, const float* kernel, double* output, double* output_scale,
               long long z_size, long long y_size, long long x_size) {
  const auto element = [&](long long z, long long y, long long x) -> double {
    const bool inside = z >= 0 && z < z_size && y >= 0 && y < y_size && x >= 0 && x < x_size;
    return inside ? input[(z * y_size + y) * x_size + x] : 0;
  };
  for (long long at = 0; at < z_size * y_size * x_size; ++at) {
    const long long z = at / (y_size * x_size), y = at / x_size % y_size, x = at % x_size;
    output[at] = output_scale[at] = 0;
    for (int k = 0; k < 27; ++k) {
      const double term = kernel[k] * element(z + k / 9 - 1, y + k / 3 % 3 - 1, x + k % 3 - 1);
      output[at] += term;
      output_scale[at] += std::fabs(term);
    }
  }
}
