#include "equalization.h"

void equalize(const float* image, float* output, int rows, int columns) {
  // TODO: your solution, as README.md describes it.
}
