#include "sort_pairs.h"

void sort_pairs(const int* keys, const int* values, int* sorted_keys, int* sorted_values, int n) {
  // TODO: your solution, as README.md describes it.
}
