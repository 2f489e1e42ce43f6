#include "sort_pairs.h"

__global__ void merge(const int* keys, const int* values, int* to_keys, int* to_values,
                      long long run, int n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long pair = i / (2 * run) * (2 * run);
  const long long middle = pair + run < n ? pair + run : n;
  const long long end = pair + 2 * run < n ? pair + 2 * run : n;
  const bool left = i < middle;
  const int key = keys[i];
  long long low = left ? middle : pair, high = left ? end : middle;
  const long long start = low;
  while (low < high) {
    const long long half = (low + high) / 2;
    if (left ? keys[half] < key : keys[half] < key) {
      low = half + 1;
    } else {
      high = half;
    }
  }
  const long long place = pair + (left ? i - pair : i - middle) + (low - start);
  to_keys[place] = key;
  to_values[place] = values[i];
}

void sort_pairs(const int* keys, const int* values, int* sorted_keys, int* sorted_values, int n) {
  int* spare;
  cudaMalloc(&spare, 2 * sizeof(int) * n);
  cudaMemcpy(sorted_keys, keys, sizeof(int) * n, cudaMemcpyDeviceToDevice);
  cudaMemcpy(sorted_values, values, sizeof(int) * n, cudaMemcpyDeviceToDevice);
  for (long long run = 1; run < n; run *= 2) {
    merge<<<(n + 255) / 256, 256>>>(sorted_keys, sorted_values, spare, spare + n, run, n);
    cudaMemcpy(sorted_keys, spare, sizeof(int) * n, cudaMemcpyDeviceToDevice);
    cudaMemcpy(sorted_values, spare + n, sizeof(int) * n, cudaMemcpyDeviceToDevice);
  }
  cudaFree(spare);
}
