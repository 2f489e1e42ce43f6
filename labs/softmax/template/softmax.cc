#include "softmax.h"

void softmax(const float* x, float* y, int rows, int columns) {
  // TODO: your solution, as README.md describes it.
}
