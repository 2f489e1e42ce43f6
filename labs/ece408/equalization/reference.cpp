#include "reference.h"

#include <algorithm>
#include <cmath>
#include <vector>

void reference(const float* image, double* output, double*, long long rows, long long columns) {
  const long long pixels = rows * columns;
  std::vector<int> levels(3 * pixels);
  std::vector<double> share(256, 0.0);
  for (long long i = 0; i < 3 * pixels; ++i)
    levels[i] = static_cast<int>(std::lround(255 * image[i]));
  for (long long i = 0; i < pixels; ++i) {
    const int* const pixel = &levels[3 * i];
    share[(21 * pixel[0] + 71 * pixel[1] + 7 * pixel[2]) / 100] += 1;
  }
  for (int level = 1; level < 256; ++level) share[level] += share[level - 1];
  for (double& value : share) value /= static_cast<double>(pixels);
  for (long long i = 0; i < 3 * pixels; ++i) {
    const double level = 255 * (share[levels[i]] - share[0]) / (1 - share[0]);
    output[i] = std::floor(std::clamp(level, 0.0, 255.0)) / 255;
  }
}
