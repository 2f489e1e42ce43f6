#include <utility>

#include "sort_by_key.h"

// Merge sort: each pair finds its place by a binary search in the other run.
__global__ void merge(const uint32_t* keys, const uint32_t* values, uint32_t* keys_out,
                      uint32_t* values_out, int width, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int run = i / width;
  int start = run / 2 * 2 * width;
  bool left = run % 2 == 0;
  int lo = min(n, left ? start + width : start);
  int hi = min(n, left ? start + 2 * width : start + width);
  int first = lo;
  uint32_t key = keys[i];
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (left ? keys[mid] < key : keys[mid] <= key)
      lo = mid + 1;
    else
      hi = mid;
  }
  int to = start + (i - run * width) + (lo - first);
  keys_out[to] = key;
  values_out[to] = values[i];
}

void sort_by_key(uint32_t* keys, uint32_t* values, int n) {
  if (n < 2) return;
  uint32_t *k, *v;
  cudaMalloc(&k, n * sizeof(uint32_t));
  cudaMalloc(&v, n * sizeof(uint32_t));
  uint32_t *from_k = keys, *from_v = values, *to_k = k, *to_v = v;
  for (int width = 1; width < n; width *= 2) {
    merge<<<(n + 255) / 256, 256>>>(from_k, from_v, to_k, to_v, width, n);
    std::swap(from_k, to_k);
    std::swap(from_v, to_v);
  }
  cudaFree(k);
  cudaFree(v);
}
