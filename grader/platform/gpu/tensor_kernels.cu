#include <cuda_runtime.h>

#include "grader/base/core/keyed_sum.hpp"
#include "grader/base/core/sign_flips.hpp"
#include "grader/platform/gpu/tensor_kernels.hpp"

namespace opgrade {
namespace {

constexpr int kBlock = 256;    // threads
constexpr int kBlocks = 4096;  // of a grid of any size

/// to = from with the signs of `seed`; a grid of any size.
__global__ void turn_signs(float* to, const float* from, long long count, std::uint64_t seed) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    to[i] = turns_sign(seed, static_cast<std::uint64_t>(i)) ? -from[i] : from[i];
  }
}

/// Adds the keyed sum of values (core/keyed_sum.hpp) to *sum; a grid of any size.
__global__ void keyed_sums(const float* values, long long count, std::uint64_t key,
                           unsigned long long* sum) {
  __shared__ unsigned long long part[kBlock];
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    mine += keyed_term(key, static_cast<std::uint64_t>(i), __float_as_uint(values[i]));
  }
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}

}  // namespace

void launch_turn_signs(float* to, const float* from, long long count, std::uint64_t seed) {
  turn_signs<<<kBlocks, kBlock>>>(to, from, count, seed);
}

void launch_keyed_sum(const float* values, long long count, std::uint64_t key,
                      unsigned long long* sum) {
  keyed_sums<<<kBlocks, kBlock>>>(values, count, key, sum);
}

}  // namespace opgrade
