// For many steps, after which rounding decides where a particle is. What holds all the same: particles are in the box and as far
// from each other as their pushes keep them, their energy is what it was, and they have moved.
#include "reference.h"

#include <cmath>
#include <cstdio>

namespace {

/// Of all particles: half the square of their speeds, and what their pushes can still give.
double energy(const particle_t* particles, long long n) {
  double sum = 0;
  for (long long i = 0; i < n; ++i) {
    sum += (particles[i].vx * particles[i].vx + particles[i].vy * particles[i].vy) / 2;
    for (long long k = 0; k < i; ++k) {
      const double r = std::hypot(particles[i].x - particles[k].x, particles[i].y - particles[k].y) / REACH;
      if (r < 1) sum += 1 / r - 1 + std::log(r);
    }
  }
  return sum;
}

double least_distance(const particle_t* particles, long long n) {
  double least = INFINITY;
  for (long long i = 0; i < n; ++i)
    for (long long k = 0; k < i; ++k)
      least = std::fmin(least, std::hypot(particles[i].x - particles[k].x, particles[i].y - particles[k].y));
  return least;
}

}  // namespace

const char* check(const particle_t* particles, const particle_t* after, long long n, long long) {
  static char text[160];
  const double side = 0.8 * std::ceil(std::sqrt(static_cast<double>(n)));
  double way = 0;
  for (long long i = 0; i < n; ++i) {
    const bool inside = after[i].x >= 0 && after[i].x <= side && after[i].y >= 0 && after[i].y <= side;
    if (!inside || !std::isfinite(after[i].vx + after[i].vy)) {
      std::snprintf(text, sizeof text, "particle %lld is at (%g, %g), and the box goes to %g", i, after[i].x, after[i].y,
                    side);
      return text;
    }
    way += std::hypot(after[i].x - particles[i].x, after[i].y - particles[i].y) / static_cast<double>(n);
  }
  if (const double least = least_distance(after, n); least < 0.15) {
    std::snprintf(text, sizeof text, "two particles are %.3g apart: pushes keep them at 0.15 or more", least);
    return text;
  }
  const double before = energy(particles, n), now = energy(after, n);
  if (!(std::fabs(now / before - 1) < 0.05)) {
    std::snprintf(text, sizeof text, "the energy was %.4g and is %.4g: it stays the same within 5 %%", before, now);
    return text;
  }
  if (way < 0.2) return "the particles are where they were";
  return nullptr;
}
