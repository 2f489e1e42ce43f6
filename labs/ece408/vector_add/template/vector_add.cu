#include "vector_add.h"

void vector_add(const float* a, const float* b, float* sum, int n) {
  // TODO: your solution, as README.md describes it.
}
