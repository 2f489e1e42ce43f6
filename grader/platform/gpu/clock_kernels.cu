#include <cuda_runtime.h>

#include "grader/base/core/random_words.hpp"
#include "grader/platform/gpu/clock_kernels.hpp"
#include "grader/platform/gpu/host_words.hpp"

namespace opgrade {
namespace {

constexpr int kBlock = 256;  // threads

__device__ unsigned long long device_clock() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// One thread's part of a DeviceWatch. While another process has the device, all threads of this
/// process pause.
class Pulse {
 public:
  __device__ Pulse() : last_(device_clock()) {}
  __device__ void beat() {
    const unsigned long long now = device_clock();
    if (now - last_ > pause_) pause_ = now - last_;
    last_ = now;
  }
  __device__ unsigned long long pause() const { return pause_; }

 private:
  unsigned long long last_;
  unsigned long long pause_ = 0;
};

constexpr unsigned long long kLongestHold = 50'000'000;  // ns; after that the grader must be gone

/// Writes the input, fills the cache with other lines, and then occupies the device, because
/// contexts of other processes take turns with this one. All of this is one kernel, so that no
/// delay of the host looks like a pause. All blocks must be resident.
__global__ void prepare_and_hold(float* x, const float* input, long long count, int4* lines,
                                 long long line_count, int value, volatile unsigned* words,
                                 unsigned turn, DeviceWatch* watch) {
  Pulse pulse;
  const bool watches = threadIdx.x == 0;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (long long i = first; i < count; i += step) {
    x[i] = input[i];
    if (watches) pulse.beat();
  }
  for (long long i = first; i < line_count; i += step) {
    lines[i] = make_int4(value, value, value, value);
    if (watches) pulse.beat();
  }
  __syncthreads();
  if (!watches) return;
  if (blockIdx.x != 0) {
    __threadfence();
    atomicAdd(&watch->waiting, 1U);
    atomicMax(&watch->pause, pulse.pause());
    return;
  }
  while (*static_cast<volatile unsigned*>(&watch->waiting) != gridDim.x - 1) pulse.beat();
  unsigned order = words[HostWords::kOrder];  // finds the address, which alone may take 100 us
  pulse.beat();
  const unsigned long long before = pulse.pause();
  Pulse holding;
  const unsigned long long begin = device_clock();
  words[HostWords::kStarted] = turn;
  __threadfence_system();
  while (order != turn && device_clock() - begin < kLongestHold) {
    order = words[HostWords::kOrder];
    holding.beat();
  }
  atomicMax(&watch->pause, max(before, holding.pause()));
}

constexpr int kProofThreads = 1024;
static_assert(kProofPlaces == 4 * kProofThreads);

__device__ long long proof_place(std::uint64_t key, int i, long long count) {
  return static_cast<long long>(random_word(key, static_cast<std::uint64_t>(i)) %
                                static_cast<std::uint64_t>(count));
}

/// Runs as one block; copies y at the places of `key`. The clock stops when the kernel begins,
/// because from then on the device is the grader's. Finding the addresses of a large y takes
/// some 50 us.
__global__ void look_at_output(const volatile float* y, long long count, std::uint64_t key,
                               float* seen, volatile unsigned* words, unsigned turn) {
  if (threadIdx.x == 0) {
    words[HostWords::kProven] = turn;
    __threadfence_system();
  }
  for (int i = threadIdx.x; i < kProofPlaces; i += kProofThreads)
    seen[i] = y[proof_place(key, i, count)];
}

/// Runs as one block; counts the places at which y differs now, bit for bit.
__global__ void count_changes(const float* y, long long count, std::uint64_t key, const float* seen,
                              int* changes) {
  for (int i = threadIdx.x; i < kProofPlaces; i += kProofThreads) {
    if (__float_as_uint(y[proof_place(key, i, count)]) != __float_as_uint(seen[i]))
      atomicAdd(changes, 1);
  }
}

}  // namespace

void launch_hold(int processors, float* x, const float* input, long long count, int4* lines,
                 long long line_count, int value, volatile unsigned* words, unsigned turn,
                 DeviceWatch* watch) {
  prepare_and_hold<<<4 * processors, kBlock>>>(x, input, count, lines, line_count, value, words,
                                               turn, watch);
}

void launch_look_at_output(const volatile float* y, long long count, std::uint64_t key, float* seen,
                           volatile unsigned* words, unsigned turn) {
  look_at_output<<<1, kProofThreads>>>(y, count, key, seen, words, turn);
}

void launch_count_changes(const float* y, long long count, std::uint64_t key, const float* seen,
                          int* changes) {
  count_changes<<<1, kProofThreads>>>(y, count, key, seen, changes);
}

}  // namespace opgrade
