#include "transpose.h"

void transpose(const half* a, half* b, int rows, int columns) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) b[c * rows + r] = a[r * columns + c];
}
