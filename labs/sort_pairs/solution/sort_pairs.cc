#include "sort_pairs.h"

#include <algorithm>
#include <numeric>
#include <vector>

void sort_pairs(const int* keys, const int* values, int* sorted_keys, int* sorted_values, int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  for (int i = 0; i < n; ++i) {
    sorted_keys[i] = keys[order[i]];
    sorted_values[i] = values[order[i]];
  }
}
