#include "types.h"

namespace {

/// The particles by squares of side REACH: the first of each square, -1 for none, and for each particle the next one.
struct Squares {
  int columns, *first, *next;
};
Squares squares;
double2* pushes;  // on each particle

__device__ int column(double at, const Squares& squares) { return min(static_cast<int>(at / REACH), squares.columns - 1); }

__global__ void clear(Squares squares) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < squares.columns * squares.columns) squares.first[i] = -1;
}

__global__ void sort_into_squares(const particle_t* particles, int n, Squares squares) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int square = column(particles[i].y, squares) * squares.columns + column(particles[i].x, squares);
  squares.next[i] = atomicExch(&squares.first[square], i);
}

__global__ void add_pushes(const particle_t* particles, int n, Squares squares, double2* pushes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const particle_t own = particles[i];
  const int row = column(own.y, squares), middle = column(own.x, squares);
  double2 sum = make_double2(0, 0);
  for (int y = max(row - 1, 0); y <= min(row + 1, squares.columns - 1); ++y)
    for (int x = max(middle - 1, 0); x <= min(middle + 1, squares.columns - 1); ++x)
      for (int k = squares.first[y * squares.columns + x]; k >= 0; k = squares.next[k]) {
        const double dx = own.x - particles[k].x, dy = own.y - particles[k].y;
        const double square = dx * dx + dy * dy;
        if (k == i || square >= REACH * REACH) continue;
        const double push = (REACH / sqrt(square) - 1) / square;
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

}  // namespace

void init_simulation(particle_t*, int n, double side) {
  cudaFree(pushes);
  cudaFree(squares.first);
  cudaFree(squares.next);
  squares.columns = static_cast<int>(side / REACH) + 1;
  cudaMalloc(&pushes, n * sizeof(double2));
  cudaMalloc(&squares.first, squares.columns * squares.columns * sizeof(int));
  cudaMalloc(&squares.next, n * sizeof(int));
}

void simulate_one_step(particle_t* particles, int n, double side) {
  const int blocks = (n + 127) / 128;
  clear<<<(squares.columns * squares.columns + 127) / 128, 128>>>(squares);
  sort_into_squares<<<blocks, 128>>>(particles, n, squares);
  add_pushes<<<blocks, 128>>>(particles, n, squares, pushes);
  move_all<<<blocks, 128>>>(particles, n, side, pushes);
}
