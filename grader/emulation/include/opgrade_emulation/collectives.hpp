// The common part of CUB's collectives of warps and blocks. Inlined, so that findings name the
// submission's call, and a barrier in two branches of an `if` is two barriers.
#pragma once

#include <type_traits>

#include "kernel.hpp"
#include "library.hpp"
#include "synchronize.hpp"

namespace opgrade_emulation {

/// The value for a thread whose result of a collective is undefined: one that shows in the output.
template <class T>
OPGRADE_INLINE T undefined_value(T otherwise) {
  if constexpr (std::is_floating_point<T>::value) {
    return (T)__builtin_nanf("");
  } else if constexpr (std::is_integral<T>::value && sizeof(T) > 1) {
    return (T)0x7E7E7E7E7E7E7E7EULL;
  } else {
    return otherwise;
  }
}

inline int threads_of_block() { return (int)(blockDim.x * blockDim.y * blockDim.z); }
inline int thread_of_block() {
  return (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

/// Stops if the block has another shape, because the collective's result would be undefined.
template <int kX, int kY, int kZ>
OPGRADE_INLINE void require_block() {
  if (blockDim.x != kX || blockDim.y != kY || blockDim.z != kZ)
    library_misused(
        "The collective of CUB is for a block of another size than the kernel was launched with, "
        "so "
        "its result is undefined. Launch the kernel with the block size of the template "
        "arguments.");
}

/// The lanes of the thread's group of kLanes that exist in the block.
template <int kLanes>
inline unsigned lanes_of_group() {
  const int lane = (int)lane_id();
  const int in_warp = threads_of_block() - (thread_of_block() - lane);
  const unsigned exist = in_warp >= 32 ? ~0u : (1u << in_warp) - 1;
  const unsigned group = kLanes >= 32 ? ~0u : ((1u << kLanes % 32) - 1) << (lane / kLanes * kLanes);
  return group & exist;
}

/// Reduces in order; only the group's first lane gets the right result. `valid`: how many of its
/// lanes count.
template <int kLanes, class T, class Op>
OPGRADE_INLINE T reduce_in_warp(T value, Op op, int valid) {
  const unsigned mask = lanes_of_group<kLanes>();
  const int lane = (int)lane_id(), rank = lane % kLanes;
  const int all = __builtin_popcount(mask);
  if (valid > all) valid = all;
  for (int step = 1; step < kLanes; step *= 2) {
    const T other = shuffle(mask, value, rank + step < all ? lane + step : lane);
    if (rank + step < valid) value = op(value, other);
  }
  return value;
}

/// Returns the inclusive scan.
template <int kLanes, class T, class Op>
OPGRADE_INLINE T scan_in_warp(T value, Op op) {
  const unsigned mask = lanes_of_group<kLanes>();
  const int lane = (int)lane_id(), rank = lane % kLanes;
  for (int step = 1; step < kLanes; step *= 2) {
    const T other = shuffle(mask, value, rank >= step ? lane - step : lane);
    if (rank >= step) value = op(other, value);
  }
  return value;
}

/// Reads a neighbour's word, as CUB may do, so that the next thread that writes the word needs a
/// barrier first.
template <class T>
OPGRADE_INLINE void read_neighbour(const T* words, int own, int count) {
  const T value = words[(own + 1) % count];
  asm volatile("" : : "m"(value));
}

/// Shared memory for a collective that gets none: one variable for each type.
template <class Storage>
OPGRADE_INLINE Storage& storage_of_type() {
  static SharedSlot slot{"TempStorage", "", 0, sizeof(Storage), alignof(Storage)};
  return *(Storage*)slot.address();
}

}  // namespace opgrade_emulation
