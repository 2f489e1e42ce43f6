#include "reference.h"

#include <algorithm>
#include <cmath>

void reference(const float* image, double* blurred, double*, long long rows, long long columns) {
  for (long long row = 0; row < rows; ++row)
    for (long long column = 0; column < columns; ++column)
      for (long long channel = 0; channel < 3; ++channel) {
        long sum = 0;
        for (long long y = row - 1; y <= row + 1; ++y)
          for (long long x = column - 1; x <= column + 1; ++x) {
            const long long inside_y = std::clamp(y, 0LL, rows - 1), inside_x = std::clamp(x, 0LL, columns - 1);
            sum += std::lround(255 * image[(inside_y * columns + inside_x) * 3 + channel]);
          }
        blurred[(row * columns + column) * 3 + channel] = static_cast<double>((sum + 4) / 9) / 255;
      }
}
