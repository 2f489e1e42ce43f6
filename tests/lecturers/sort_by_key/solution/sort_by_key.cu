#include "sort_by_key.h"

// Radix sort, four bits a pass, from the lowest bits.
constexpr int kDigits = 16;
constexpr int kThreads = 256;
constexpr int kItems = 8;
constexpr int kTile = kThreads * kItems;

__device__ int digit_of(uint32_t key, int shift) { return (key >> shift) & (kDigits - 1); }

// counts[digit * gridDim.x + block]: how often the block's tile has the digit.
__global__ void count_digits(const uint32_t* keys, unsigned* counts, int shift, int n) {
  __shared__ unsigned local[kDigits];
  if (threadIdx.x < kDigits) local[threadIdx.x] = 0;
  __syncthreads();
  const int end = min(n, (int)(blockIdx.x + 1) * kTile);
  for (int i = blockIdx.x * kTile + threadIdx.x; i < end; i += kThreads) {
    atomicAdd(&local[digit_of(keys[i], shift)], 1u);
  }
  __syncthreads();
  if (threadIdx.x < kDigits) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

// Exclusive prefix sum in a block, of one number per thread.
__device__ unsigned block_scan(unsigned mine, unsigned* shared) {
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (int step = 1; step < kThreads; step *= 2) {
    const unsigned left = threadIdx.x >= step ? shared[threadIdx.x - step] : 0;
    __syncthreads();
    shared[threadIdx.x] += left;
    __syncthreads();
  }
  return shared[threadIdx.x] - mine;
}

// One block: counts become their exclusive prefix sums.
__global__ void scan_counts(unsigned* counts, int m) {
  __shared__ unsigned sums[kThreads];
  const int chunk = (m + kThreads - 1) / kThreads;
  const int begin = min(m, (int)threadIdx.x * chunk);
  const int end = min(m, begin + chunk);
  unsigned sum = 0;
  for (int i = begin; i < end; ++i) sum += counts[i];
  unsigned before = block_scan(sum, sums);
  for (int i = begin; i < end; ++i) {
    const unsigned count = counts[i];
    counts[i] = before;
    before += count;
  }
}

// Each thread moves kItems neighbours, so that equal digits stay in order.
__global__ void scatter(const uint32_t* keys, const uint32_t* values, uint32_t* keys_out,
                        uint32_t* values_out, const unsigned* starts, int shift, int n) {
  __shared__ unsigned ranks[kDigits][kThreads];
  __shared__ unsigned sums[kThreads];
  __shared__ unsigned firsts[kDigits];
  const int t = threadIdx.x;
  for (int d = 0; d < kDigits; ++d) ranks[d][t] = 0;
  const int begin = min(n, (int)blockIdx.x * kTile + t * kItems);
  const int end = min(n, begin + kItems);
  for (int i = begin; i < end; ++i) ++ranks[digit_of(keys[i], shift)][t];
  __syncthreads();
  // Thread t sums the counts of digit t / 16 of 16 threads.
  unsigned* mine = &ranks[0][0] + t * kDigits;
  unsigned sum = 0;
  for (int i = 0; i < kDigits; ++i) sum += mine[i];
  unsigned before = block_scan(sum, sums);
  if (t % (kThreads / kDigits) == 0) firsts[t / (kThreads / kDigits)] = before;
  for (int i = 0; i < kDigits; ++i) {
    const unsigned count = mine[i];
    mine[i] = before;
    before += count;
  }
  __syncthreads();
  for (int i = begin; i < end; ++i) {
    const int d = digit_of(keys[i], shift);
    const unsigned to = starts[d * gridDim.x + blockIdx.x] + ranks[d][t]++ - firsts[d];
    keys_out[to] = keys[i];
    values_out[to] = values[i];
  }
}

void sort_by_key(uint32_t* keys, uint32_t* values, int n) {
  if (n < 2) return;
  const int blocks = (n + kTile - 1) / kTile;
  uint32_t* keys_to;
  uint32_t* values_to;
  unsigned* counts;
  cudaMalloc(&keys_to, n * sizeof(uint32_t));
  cudaMalloc(&values_to, n * sizeof(uint32_t));
  cudaMalloc(&counts, blocks * kDigits * sizeof(unsigned));
  for (int shift = 0; shift < 32; shift += 8) {
    count_digits<<<blocks, kThreads>>>(keys, counts, shift, n);
    scan_counts<<<1, kThreads>>>(counts, blocks * kDigits);
    scatter<<<blocks, kThreads>>>(keys, values, keys_to, values_to, counts, shift, n);
    count_digits<<<blocks, kThreads>>>(keys_to, counts, shift + 4, n);
    scan_counts<<<1, kThreads>>>(counts, blocks * kDigits);
    scatter<<<blocks, kThreads>>>(keys_to, values_to, keys, values, counts, shift + 4, n);
  }
  cudaFree(keys_to);
  cudaFree(values_to);
  cudaFree(counts);
}
