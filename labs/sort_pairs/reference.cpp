#include "reference.h"

#include <algorithm>
#include <numeric>
#include <vector>

void reference(const int* keys, const int* values, long long* sorted_keys, long long* sorted_values,
               long long n) {
  std::vector<long long> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](long long a, long long b) { return keys[a] < keys[b]; });
  for (long long i = 0; i < n; ++i) {
    sorted_keys[i] = keys[order[i]];
    sorted_values[i] = values[order[i]];
  }
}
