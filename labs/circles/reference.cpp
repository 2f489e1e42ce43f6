#include "reference.h"

#include <algorithm>
#include <cmath>

void reference(const Circle* circles, long long* image, long long count, long long width, long long height) {
  for (long long row = 0; row < height; ++row)
    for (long long column = 0; column < width; ++column) {
      double colour[3] = {1, 1, 1};
      for (long long i = 0; i < count; ++i) {
        const Circle& c = circles[i];
        const double dx = column + 0.5 - double(c.x) * width, dy = row + 0.5 - double(c.y) * height;
        const double radius = double(c.radius) * width;
        if (dx * dx + dy * dy > radius * radius) continue;
        for (int k = 0; k < 3; ++k) colour[k] += c.opacity * (c.colour[k] - colour[k]);
      }
      long long* const pixel = image + 4 * (row * width + column);
      for (int k = 0; k < 3; ++k) pixel[k] = std::lround(255 * std::clamp(colour[k], 0.0, 1.0));
      pixel[3] = 255;
    }
}
