#include "reference.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

/// The particles by squares of side REACH: a push comes from the same square or from one beside it.
class Squares {
 public:
  Squares(const std::vector<particle_t>& particles, double side)
      : columns_(static_cast<long long>(side / REACH) + 1), lists_(columns_ * columns_) {
    for (std::size_t i = 0; i < particles.size(); ++i)
      lists_[column(particles[i].y) * columns_ + column(particles[i].x)].push_back(i);
  }

  template <class Visit>
  void near(const particle_t& one, const Visit& visit) const {
    for (long long y = std::max(column(one.y) - 1, 0LL); y <= std::min(column(one.y) + 1, columns_ - 1); ++y)
      for (long long x = std::max(column(one.x) - 1, 0LL); x <= std::min(column(one.x) + 1, columns_ - 1); ++x)
        for (const std::size_t i : lists_[y * columns_ + x]) visit(i);
  }

 private:
  long long column(double at) const { return static_cast<long long>(at / REACH); }

  long long columns_;
  std::vector<std::vector<std::size_t>> lists_;
};

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
    const Squares squares(now, side);
    for (long long i = 0; i < n; ++i) {
      push_x[i] = push_y[i] = 0;
      squares.near(now[i], [&](long long k) {
        const double dx = now[i].x - now[k].x, dy = now[i].y - now[k].y;
        const double square = dx * dx + dy * dy;
        if (k == i || square >= REACH * REACH) return;
        const double push = (REACH / std::sqrt(square) - 1) / square;
        push_x[i] += push * dx;
        push_y[i] += push * dy;
      });
    }
    for (long long i = 0; i < n; ++i) {
      move(now[i].x, now[i].vx, push_x[i], side);
      move(now[i].y, now[i].vy, push_y[i], side);
    }
  }
  for (long long i = 0; i < n; ++i) particles_after[i] = now[i];
}
