// Barriers, votes and shuffles.
#pragma once

#include "api.hpp"
#include "kernel.hpp"

// The compiler must not merge two barriers in the branches of an `if`, because the checks must see
// both. Clang 11 has no attribute for that, and findings may name the other barrier's line.
#if defined(__clang_major__) && __clang_major__ >= 12
#define OPGRADE_BARRIER __attribute__((nomerge))
#else
#define OPGRADE_BARRIER
#endif

namespace opgrade_emulation {
enum class Vote { count, all, any };
OPGRADE_BARRIER int vote_in_block(Vote vote, int predicate);

enum class WarpOperation : unsigned char {
  none,
  barrier,
  shuffle,
  ballot,
  match_any,
  match_all,
  active,
  add,
  minimum,
  maximum,
  minimum_signed,
  maximum_signed,
  bit_and,
  bit_or,
  bit_xor,
  collective
};
/// Every lane named in `mask` supplies `value` (up to 8 bytes); `lane` is the lane whose value this
/// lane wants.
unsigned long long exchange(WarpOperation operation, unsigned mask, unsigned long long value,
                            int lane);
unsigned lane_id();

template <class T>
OPGRADE_INLINE T shuffle(unsigned mask, T value, int source_lane) {
  if constexpr (sizeof(T) <= 8) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = exchange(WarpOperation::shuffle, mask, bits, source_lane);
    __builtin_memcpy(&value, &bits, sizeof(T));
  } else {
    unsigned long long words[(sizeof(T) + 7) / 8] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned long long& word : words)
      word = exchange(WarpOperation::shuffle, mask, word, source_lane);
    __builtin_memcpy(&value, words, sizeof(T));
  }
  return value;
}
}  // namespace opgrade_emulation

OPGRADE_BARRIER void __syncthreads();
OPGRADE_INLINE int __syncthreads_count(int predicate) {
  return opgrade_emulation::vote_in_block(opgrade_emulation::Vote::count, predicate);
}
OPGRADE_INLINE int __syncthreads_and(int predicate) {
  return opgrade_emulation::vote_in_block(opgrade_emulation::Vote::all, predicate);
}
OPGRADE_INLINE int __syncthreads_or(int predicate) {
  return opgrade_emulation::vote_in_block(opgrade_emulation::Vote::any, predicate);
}
OPGRADE_BARRIER void __syncwarp(unsigned mask = 0xffffffffu);
unsigned __activemask();

namespace opgrade_emulation {
template <class T>
OPGRADE_INLINE T shuffle_index(unsigned mask, T value, int lane, int width) {
  const int self = (int)lane_id();
  return shuffle(mask, value, (self & ~(width - 1)) | (lane & (width - 1)));
}
// A GPU uses the low 5 bits of an offset (PTX ISA, shfl.sync): down by `31 - threadIdx.x` leads to
// the last lane in each warp.
template <class T>
OPGRADE_INLINE T shuffle_up(unsigned mask, T value, unsigned delta, int width) {
  const int self = (int)lane_id();
  const int lane = self - (int)(delta & 31u);
  return shuffle(mask, value, lane < (self & ~(width - 1)) ? self : lane);
}
template <class T>
OPGRADE_INLINE T shuffle_down(unsigned mask, T value, unsigned delta, int width) {
  const int self = (int)lane_id();
  const int lane = self + (int)(delta & 31u);
  return shuffle(mask, value, lane > (self | (width - 1)) ? self : lane);
}
template <class T>
OPGRADE_INLINE T shuffle_xor(unsigned mask, T value, int bits, int width) {
  const int self = (int)lane_id();
  const int lane = self ^ (bits & 31);
  return shuffle(mask, value, lane > (self | (width - 1)) ? self : lane);
}
}  // namespace opgrade_emulation

// CUDA has these for numbers alone (sm_30_intrinsics.h): nvcc refuses a struct or a pointer.
#define OPGRADE_SHUFFLES(T)                                                                   \
  OPGRADE_INLINE T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {            \
    return opgrade_emulation::shuffle_index(mask, value, lane, width);                        \
  }                                                                                           \
  OPGRADE_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {   \
    return opgrade_emulation::shuffle_up(mask, value, delta, width);                          \
  }                                                                                           \
  OPGRADE_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) { \
    return opgrade_emulation::shuffle_down(mask, value, delta, width);                        \
  }                                                                                           \
  OPGRADE_INLINE T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {        \
    return opgrade_emulation::shuffle_xor(mask, value, bits, width);                          \
  }
OPGRADE_SHUFFLES(int)
OPGRADE_SHUFFLES(unsigned)
OPGRADE_SHUFFLES(long)
OPGRADE_SHUFFLES(unsigned long)
OPGRADE_SHUFFLES(long long)
OPGRADE_SHUFFLES(unsigned long long)
OPGRADE_SHUFFLES(float)
OPGRADE_SHUFFLES(double)

OPGRADE_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
  return (unsigned)opgrade_emulation::exchange(opgrade_emulation::WarpOperation::ballot, mask,
                                               predicate != 0, 0);
}
OPGRADE_INLINE int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
OPGRADE_INLINE int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, !predicate) == 0;
}
template <class T>
OPGRADE_INLINE unsigned __match_any_sync(unsigned mask, T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return (unsigned)opgrade_emulation::exchange(opgrade_emulation::WarpOperation::match_any, mask,
                                               bits, 0);
}
template <class T>
OPGRADE_INLINE unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  const unsigned lanes = (unsigned)opgrade_emulation::exchange(
      opgrade_emulation::WarpOperation::match_all, mask, bits, 0);
  *predicate = lanes != 0;
  return lanes;
}
#define OPGRADE_REDUCE(name, type, operation)                                                   \
  OPGRADE_INLINE type name(unsigned mask, type value) {                                         \
    return (type)opgrade_emulation::exchange(opgrade_emulation::WarpOperation::operation, mask, \
                                             (unsigned long long)(long long)value, 0);          \
  }
OPGRADE_REDUCE(__reduce_add_sync, unsigned, add)
OPGRADE_REDUCE(__reduce_add_sync, int, add)
OPGRADE_REDUCE(__reduce_min_sync, unsigned, minimum)
OPGRADE_REDUCE(__reduce_min_sync, int, minimum_signed)
OPGRADE_REDUCE(__reduce_max_sync, unsigned, maximum)
OPGRADE_REDUCE(__reduce_max_sync, int, maximum_signed)
OPGRADE_REDUCE(__reduce_and_sync, unsigned, bit_and)
OPGRADE_REDUCE(__reduce_or_sync, unsigned, bit_or)
OPGRADE_REDUCE(__reduce_xor_sync, unsigned, bit_xor)
#undef OPGRADE_REDUCE

void __threadfence();
void __threadfence_block();
void __threadfence_system();
void __nanosleep(unsigned nanoseconds);
