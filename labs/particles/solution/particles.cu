#include "types.h"

/// The push on each particle.
static double2* pushes;

__global__ void add_pushes(const particle_t* particles, int n, double2* pushes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double2 sum = make_double2(0, 0);
  for (int k = 0; k < n; ++k) {
    const double dx = particles[i].x - particles[k].x, dy = particles[i].y - particles[k].y;
    const double square = dx * dx + dy * dy;
    if (k == i || square >= REACH * REACH) continue;
    const double push = 1 - square / (REACH * REACH);
    sum.x += push * dx;
    sum.y += push * dy;
  }
  pushes[i] = sum;
}

__device__ void move(double& x, double& speed, double push, double side) {
  speed += STEP * push;
  x += STEP * speed;
  if (x < 0) {
    x = -x;
    speed = -speed;
  }
  if (x > side) {
    x = 2 * side - x;
    speed = -speed;
  }
}

__global__ void move_all(particle_t* particles, int n, double side, const double2* pushes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  move(particles[i].x, particles[i].vx, pushes[i].x, side);
  move(particles[i].y, particles[i].vy, pushes[i].y, side);
}

void init_simulation(particle_t*, int n, double) {
  cudaFree(pushes);
  cudaMalloc(&pushes, n * sizeof(double2));
}

void simulate_one_step(particle_t* particles, int n, double side) {
  const int blocks = (n + 127) / 128;
  add_pushes<<<blocks, 128>>>(particles, n, pushes);
  move_all<<<blocks, 128>>>(particles, n, side, pushes);
}
