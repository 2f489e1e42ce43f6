#include "reference.h"

#include <vector>

// The grid's edges meet: it is a torus.
void reference(const int* grid, long long* grid_after, long long rows, long long columns,
               long long steps) {
  std::vector<int> now(grid, grid + rows * columns), next(now);
  for (long long step = 0; step < steps; ++step) {
    for (long long r = 0; r < rows; ++r) {
      for (long long c = 0; c < columns; ++c) {
        int alive = 0;
        for (int dr = -1; dr <= 1; ++dr)
          for (int dc = -1; dc <= 1; ++dc)
            if (dr != 0 || dc != 0)
              alive += now[(r + dr + rows) % rows * columns + (c + dc + columns) % columns];
        next[r * columns + c] = alive == 3 || (alive == 2 && now[r * columns + c]);
      }
    }
    now.swap(next);
  }
  for (long long i = 0; i < rows * columns; ++i) grid_after[i] = now[i];
}
