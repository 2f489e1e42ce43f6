// An image of 256 grey levels a channel.
#include <cmath>
#include <random>

#include "reference.h"

/// A grey level as a float: 255 * value cut to a byte is the level again, in float and in double.
static float value_of(int level) {
  const float value = static_cast<float>(level) / 255;
  return value * 255.0 < level ? std::nextafter(value, 2.0F) : value;
}

void generate(unsigned long long seed, float* image, const float*, long long rows,
              long long columns) {
  std::mt19937_64 random(seed);
  for (long long i = 0; i < rows * columns * 3; ++i)
    image[i] = value_of(static_cast<int>(random() % 256));
}
