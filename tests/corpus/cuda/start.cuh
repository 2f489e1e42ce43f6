// In front of each source of table.txt: memory that host and device share.
#pragma once
#include <cstddef>

template <class T>
T* shared_by_both(int n, T value = T()) {
  T* memory = nullptr;
  cudaMallocManaged(&memory, n * sizeof(T));
  for (int i = 0; i < n; ++i) memory[i] = value;
  return memory;
}

// Waits for the device; how many of n elements are not what they should be.
template <class T>
int count_wrong(const T* values, int n, T want) {
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += values[i] == want ? 0 : 1;
  return wrong;
}
