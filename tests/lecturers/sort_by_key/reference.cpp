#include "reference.h"

#include <algorithm>
#include <numeric>
#include <vector>

void reference(const uint32_t* keys, long long* keys_after, const uint32_t* values,
               long long* values_after, long long n) {
  std::vector<long long> order(n);
  std::iota(order.begin(), order.end(), 0LL);
  std::stable_sort(order.begin(), order.end(),
                   [&](long long a, long long b) { return keys[a] < keys[b]; });
  for (long long i = 0; i < n; ++i) {
    keys_after[i] = keys[order[i]];
    values_after[i] = values[order[i]];
  }
}
