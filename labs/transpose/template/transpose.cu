#include "transpose.h"

void transpose(const half* a, half* b, int rows, int columns) {
  // TODO: your solution, as README.md describes it.
}
