#include <algorithm>
#include <utility>
#include <vector>

#include "sort_by_key.h"

// Sorts copies on the host.
void sort_by_key(uint32_t* keys, uint32_t* values, int n) {
  if (n < 2) return;
  std::vector<uint32_t> k(n), v(n);
  cudaMemcpy(k.data(), keys, n * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  cudaMemcpy(v.data(), values, n * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  std::vector<std::pair<uint32_t, uint32_t>> pairs(n);
  for (int i = 0; i < n; ++i) pairs[i] = {k[i], v[i]};
  std::sort(pairs.begin(), pairs.end());
  for (int i = 0; i < n; ++i) {
    k[i] = pairs[i].first;
    v[i] = pairs[i].second;
  }
  cudaMemcpy(keys, k.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice);
  cudaMemcpy(values, v.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice);
}
