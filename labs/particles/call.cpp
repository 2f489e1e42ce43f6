// Calls what you write: one simulation.
#include <cmath>

#include "types.h"

void particles(particle_t* particles, int n, int steps) {
  const double side = 0.8 * std::ceil(std::sqrt(static_cast<double>(n)));
  init_simulation(particles, n, side);
  for (int i = 0; i < steps; ++i) simulate_one_step(particles, n, side);
}
