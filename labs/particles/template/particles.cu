#include "types.h"

void init_simulation(particle_t* particles, int n, double side) {
  // TODO: what the steps need.
}

void simulate_one_step(particle_t* particles, int n, double side) {
  // TODO: your solution, as README.md describes it.
}
