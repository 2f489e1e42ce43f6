// Blocks scan tiles; their sums are scanned in the same way.
#include "exclusive_scan.h"

namespace {

constexpr int kThreads = 256, kEach = 4, kTile = kThreads * kEach;

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

}  // namespace

void exclusive_scan(const int* x, int* sums, int n) {
  const int tiles = (n + kTile - 1) / kTile;
  int* totals;
  cudaMalloc(&totals, 2 * tiles * sizeof(int));
  scan_tiles<<<tiles, kThreads>>>(x, sums, totals, n);
  if (tiles > 1) {
    exclusive_scan(totals, totals + tiles, tiles);
    add_totals<<<tiles, kThreads>>>(sums, totals + tiles, n);
  }
  cudaFree(totals);
}
