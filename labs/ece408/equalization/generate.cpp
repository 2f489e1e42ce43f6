// A dark image: some pixels are black, the rest has levels up to a random one. No grey level is a
// whole number before it is cut, so that rounding in float cannot move a pixel to another one.
#include <cmath>
#include <random>

#include "reference.h"

/// A grey level as a float: 255 * value cut to a byte is the level again, in float and in double.
static float value_of(int level) {
  const float value = static_cast<float>(level) / 255;
  return value * 255.0 < level ? std::nextafter(value, 2.0F) : value;
}

void generate(unsigned long long seed, float* image, long long rows, long long columns) {
  std::mt19937_64 random(seed);
  const int brightest = 100 + static_cast<int>(random() % 156);
  const long long pixels = rows * columns;
  // One pixel has the grey level 0 in each image: the least share is that of level 0 and that of
  // the first level that occurs. The first pixel is never black, so that not all are.
  const long long darkest =
      1 + static_cast<long long>(random() % static_cast<unsigned long long>(pixels - 1));
  for (long long i = 0; i < pixels; ++i) {
    int level[3];
    do {
      const bool dark = i > 0 && (i == darkest || random() % 16 == 0);
      const int most = dark ? 2 : brightest, least = i > 0 ? 0 : 50;
      for (int& channel : level)
        channel = least + static_cast<int>(random() % static_cast<unsigned>(most - least));
    } while ((21 * level[0] + 71 * level[1] + 7 * level[2]) % 100 == 0);
    for (int channel = 0; channel < 3; ++channel) image[3 * i + channel] = value_of(level[channel]);
  }
}
