#include "life.h"

static void step(const int* now, int* next, int rows, int columns) {
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      int alive = -now[r * columns + c];
      for (int dr = rows - 1; dr <= rows + 1; ++dr)
        for (int dc = columns - 1; dc <= columns + 1; ++dc)
          alive += now[(r + dr) % rows * columns + (c + dc) % columns];
      next[r * columns + c] = alive == 3 || (alive == 2 && now[r * columns + c]);
    }
  }
}

void life(int* grid, int* scratch, int rows, int columns, int steps) {
  for (int i = 0; i < steps; ++i) {
    step(grid, scratch, rows, columns);
    for (int cell = 0; cell < rows * columns; ++cell) grid[cell] = scratch[cell];
  }
}
