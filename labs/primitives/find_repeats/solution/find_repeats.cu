// An exclusive prefix sum of the flags "equal to the next one" is the number of each repeat.
#include "find_repeats.h"

namespace {

constexpr int kThreads = 256, kEach = 4, kTile = kThreads * kEach;

__global__ void mark(const int* x, int* flags, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) flags[i] = i + 1 < n && x[i] == x[i + 1];
}

/// Stores the sums within each tile, and the sum of all of it.
__global__ void scan_tiles(const int* x, int* sums, int* totals, int n) {
  __shared__ int shared[kThreads];
  const int first = blockIdx.x * kTile + threadIdx.x * kEach;
  int own[kEach];
  int sum = 0;
  for (int i = 0; i < kEach; ++i) {
    own[i] = sum;
    if (first + i < n) sum += x[first + i];
  }
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int by = 1; by < kThreads; by *= 2) {
    const int left = threadIdx.x >= by ? shared[threadIdx.x - by] : 0;
    __syncthreads();
    shared[threadIdx.x] += left;
    __syncthreads();
  }
  const int before = shared[threadIdx.x] - sum;
  for (int i = 0; i < kEach; ++i)
    if (first + i < n) sums[first + i] = before + own[i];
  if (threadIdx.x == kThreads - 1) totals[blockIdx.x] = before + sum;
}

__global__ void add_totals(int* sums, const int* totals, int n) {
  for (int i = 0; i < kEach; ++i) {
    const int at = blockIdx.x * kTile + i * kThreads + threadIdx.x;
    if (at < n) sums[at] += totals[blockIdx.x];
  }
}

__global__ void store(const int* flags, const int* sums, int* places, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n && flags[i]) places[sums[i]] = i;
}

void scan(const int* x, int* sums, int* rest, int n) {
  const int tiles = (n + kTile - 1) / kTile;
  scan_tiles<<<tiles, kThreads>>>(x, sums, rest, n);
  if (tiles == 1) return;
  scan(rest, rest + tiles, rest + 2 * tiles, tiles);
  add_totals<<<tiles, kThreads>>>(sums, rest + tiles, n);
}

}  // namespace

int find_repeats(const int* x, int* places, int n) {
  const int blocks = (n + kThreads - 1) / kThreads;
  int* flags;
  cudaMalloc(&flags, (2 * size_t(n) + n / 128 + 64) * sizeof(int));
  int* const sums = flags + n;
  mark<<<blocks, kThreads>>>(x, flags, n);
  scan(flags, sums, sums + n, n);
  store<<<blocks, kThreads>>>(flags, sums, places, n);
  // The last element has no next one, so its number is the number of all.
  int count;
  cudaMemcpy(&count, sums + n - 1, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(flags);
  return count;
}
