#include "reference.h"

#include <cmath>
#include <random>

void generate(unsigned long long seed, particle_t* particles, long long n, long long) {
  const long long columns = std::ceil(std::sqrt(static_cast<double>(n)));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> near(0.2, 0.6), speed(-1, 1);
  for (long long i = 0; i < n; ++i) {
    particles[i].x = 0.8 * (i % columns) + near(random);
    particles[i].y = 0.8 * (i / columns) + near(random);
    particles[i].vx = speed(random);
    particles[i].vy = speed(random);
  }
}
