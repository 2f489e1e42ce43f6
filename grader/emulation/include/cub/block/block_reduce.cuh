// Stands in for CUB's BlockReduce.
#pragma once
#pragma GCC system_header

#include "../util_type.cuh"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
  BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};

/// Only the block's first thread gets the right result. One implementation serves all algorithms:
/// each warp reduces, then the first thread adds up the warps.
template <class T, int kX, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int kY = 1,
          int kZ = 1, int = 0>
class BlockReduce {
  static constexpr int kThreads = kX * kY * kZ, kWarps = (kThreads + 31) / 32;

 public:
  struct TempStorage {
    alignas(T) unsigned char opgrade_bytes[sizeof(T) * kWarps];
  };
  OPGRADE_INLINE BlockReduce() : BlockReduce(opgrade_emulation::storage_of_type<TempStorage>()) {}
  OPGRADE_INLINE explicit BlockReduce(TempStorage& storage)
      : of_warp_((T*)(void*)storage.opgrade_bytes) {}

  OPGRADE_INLINE T Sum(T value) { return Reduce(value, cub::Sum()); }
  OPGRADE_INLINE T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int kItems>
  OPGRADE_INLINE T Sum(T (&items)[kItems]) {
    return Reduce(items, cub::Sum());
  }
  template <class Op>
  OPGRADE_INLINE T Reduce(T value, Op op) {
    opgrade_emulation::require_block<kX, kY, kZ>();
    return reduce(value, op, kThreads);
  }
  template <int kItems, class Op>
  OPGRADE_INLINE T Reduce(T (&items)[kItems], Op op) {
    return Reduce(ThreadReduce(items, op), op);
  }
  /// Reduces the values of the first `valid` threads.
  template <class Op>
  OPGRADE_INLINE T Reduce(T value, Op op, int valid) {
    opgrade_emulation::require_block<kX, kY, kZ>();
    return reduce(value, op, valid);
  }

 private:
  template <class Op>
  OPGRADE_INLINE T reduce(T value, Op op, int valid) {
    const int self = opgrade_emulation::thread_of_block(), warp = self / 32;
    value = opgrade_emulation::reduce_in_warp<32>(value, op, valid - warp * 32);
    if (self % 32 == 0) of_warp_[warp] = value;
    __syncthreads();
    if (self != 0) return opgrade_emulation::undefined_value(value);
    for (int other = 1; other < kWarps && other * 32 < valid; ++other)
      value = op(value, of_warp_[other]);
    return value;
  }
  T* of_warp_;
};

}  // namespace cub
