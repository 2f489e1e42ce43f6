#include "reference.h"

#include <cmath>
#include <vector>

namespace {

/// One coordinate behind a step, with its speed: walls reflect.
void move(double& x, double& speed, double push, double side) {
  speed += STEP * push;
  x += STEP * speed;
  if (x < 0) x = -x, speed = -speed;
  if (x > side) x = 2 * side - x, speed = -speed;
}

}  // namespace

void reference(const particle_t* particles, particle_t* particles_after, long long n, long long steps) {
  const double side = 0.8 * std::ceil(std::sqrt(static_cast<double>(n)));
  std::vector<particle_t> now(particles, particles + n);
  std::vector<double> push_x(n), push_y(n);
  for (long long step = 0; step < steps; ++step) {
    for (long long i = 0; i < n; ++i) {
      push_x[i] = push_y[i] = 0;
      for (long long k = 0; k < n; ++k) {
        const double dx = now[i].x - now[k].x, dy = now[i].y - now[k].y;
        const double square = dx * dx + dy * dy;
        if (k == i || square >= REACH * REACH) continue;
        const double push = 1 - square / (REACH * REACH);
        push_x[i] += push * dx;
        push_y[i] += push * dy;
      }
    }
    for (long long i = 0; i < n; ++i) {
      move(now[i].x, now[i].vx, push_x[i], side);
      move(now[i].y, now[i].vy, push_y[i], side);
    }
  }
  for (long long i = 0; i < n; ++i) particles_after[i] = now[i];
}
