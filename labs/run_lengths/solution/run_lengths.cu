#include "types.h"

namespace rle {
namespace {

constexpr int kTile = 256;

int tiles_of(int n) { return (n + kTile - 1) / kTile; }

__device__ bool starts_run(const int* x, int i) { return i == 0 || x[i] != x[i - 1]; }

/// Inclusive sum over the block of one number per thread.
__device__ int scan_block(int value, int* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int by = 1; by < blockDim.x; by *= 2) {
    const int left = threadIdx.x >= by ? shared[threadIdx.x - by] : 0;
    __syncthreads();
    shared[threadIdx.x] += left;
    __syncthreads();
  }
  return shared[threadIdx.x];
}

__global__ void count_starts(const int* x, int n, int* before) {
  __shared__ int shared[kTile];
  const int i = blockIdx.x * kTile + threadIdx.x;
  const int sum = scan_block(i < n && starts_run(x, i) ? 1 : 0, shared);
  if (threadIdx.x == kTile - 1) before[blockIdx.x] = sum;
}

/// Makes each tile's count the sum of the earlier ones.
__global__ void scan_tiles(int* before, int tiles, int* runs) {
  __shared__ int shared[kTile];
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  for (int start = 0; start < tiles; start += kTile) {
    const int i = start + threadIdx.x;
    const int own = i < tiles ? before[i] : 0;
    const int sum = scan_block(own, shared);
    const int earlier = total;
    __syncthreads();
    if (i < tiles) before[i] = earlier + sum - own;
    if (threadIdx.x == kTile - 1) total = earlier + sum;
    __syncthreads();
  }
  if (threadIdx.x == 0) *runs = total;
}

__global__ void store_starts(const int* x, int n, const int* before, int* starts, int* values) {
  __shared__ int shared[kTile];
  const int i = blockIdx.x * kTile + threadIdx.x;
  const bool first = i < n && starts_run(x, i);
  const int number = before[blockIdx.x] + scan_block(first ? 1 : 0, shared) - 1;
  if (!first) return;
  starts[number] = i;
  values[number] = x[i];
}

__global__ void store_lengths(const int* starts, const int* runs, int n, int* lengths) {
  const int i = blockIdx.x * kTile + threadIdx.x;
  if (i < *runs) lengths[i] = (i + 1 < *runs ? starts[i + 1] : n) - starts[i];
}

}  // namespace

size_t get_workspace_size(int n) { return (size_t(tiles_of(n)) + n) * sizeof(int); }

void run(const int* x, int n, void* workspace, int* values, int* lengths, int* runs) {
  const int tiles = tiles_of(n);
  int* const before = static_cast<int*>(workspace);
  int* const starts = before + tiles;
  count_starts<<<tiles, kTile>>>(x, n, before);
  scan_tiles<<<1, kTile>>>(before, tiles, runs);
  store_starts<<<tiles, kTile>>>(x, n, before, starts, values);
  store_lengths<<<tiles, kTile>>>(starts, runs, n, lengths);
}

}  // namespace rle
