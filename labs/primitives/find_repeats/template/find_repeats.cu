#include "find_repeats.h"

int find_repeats(const int* x, int* places, int n) {
  // TODO: your solution, as README.md describes it.
  return 0;
}
