#include "reference.h"

#include <random>

void generate(unsigned long long seed, Circle* circles, long long count, long long, long long, long long scene) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> unit(0, 1);
  for (long long i = 0; i < count; ++i) {
    Circle& c = circles[i];
    c.x = scene == 3 ? 0.5f : unit(random);
    c.y = scene == 3 ? 0.5f : unit(random);
    c.radius = scene == 1 ? 0.02f + 0.06f * unit(random) : 0.1f + 0.3f * unit(random);
    for (float& one : c.colour) one = unit(random);
    c.opacity = 0.3f + 0.5f * unit(random);
  }
}
