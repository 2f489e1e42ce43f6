// Stands in for CUB's BlockScan.
#pragma once
#pragma GCC system_header

#include "../util_type.cuh"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

/// One implementation serves all algorithms: each warp scans, then each thread adds up the warps
/// before its own.
template <class T, int kX, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int kY = 1, int kZ = 1, int = 0>
class BlockScan {
  static constexpr int kThreads = kX * kY * kZ, kWarps = (kThreads + 31) / 32;

 public:
  struct TempStorage {
    alignas(T) unsigned char opgrade_bytes[sizeof(T) * (kWarps + 1)];
  };
  OPGRADE_INLINE BlockScan() : BlockScan(opgrade_emulation::storage_of_type<TempStorage>()) {}
  OPGRADE_INLINE explicit BlockScan(TempStorage& storage)
      : of_warp_((T*)(void*)storage.opgrade_bytes) {}

  // Overloads for one item of each thread, then for several. `last` gets the sum of all, or is a
  // functor that is called with it and returns what comes before the block.
  OPGRADE_INLINE void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
  template <class Last>
  OPGRADE_INLINE void InclusiveSum(T in, T& out, Last& last) {
    InclusiveScan(in, out, cub::Sum(), last);
  }
  template <int kItems>
  OPGRADE_INLINE void InclusiveSum(T (&in)[kItems], T (&out)[kItems]) {
    InclusiveScan(in, out, cub::Sum());
  }
  template <int kItems, class Last>
  OPGRADE_INLINE void InclusiveSum(T (&in)[kItems], T (&out)[kItems], Last& last) {
    InclusiveScan(in, out, cub::Sum(), last);
  }
  OPGRADE_INLINE void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T(), cub::Sum()); }
  template <class Last>
  OPGRADE_INLINE void ExclusiveSum(T in, T& out, Last& last) {
    exclusive_of_one(in, out, cub::Sum(), true, T(), last);
  }
  template <int kItems>
  OPGRADE_INLINE void ExclusiveSum(T (&in)[kItems], T (&out)[kItems]) {
    ExclusiveScan(in, out, T(), cub::Sum());
  }
  template <int kItems, class Last>
  OPGRADE_INLINE void ExclusiveSum(T (&in)[kItems], T (&out)[kItems], Last& last) {
    exclusive(in, out, cub::Sum(), true, T(), last);
  }

  template <class Op>
  OPGRADE_INLINE void InclusiveScan(T in, T& out, Op op) {
    T ignored;
    InclusiveScan(in, out, op, ignored);
  }
  template <class Op, class Last>
  OPGRADE_INLINE void InclusiveScan(T in, T& out, Op op, Last& last) {
    T one[1] = {in}, result[1];
    InclusiveScan(one, result, op, last);
    out = result[0];
  }
  template <int kItems, class Op>
  OPGRADE_INLINE void InclusiveScan(T (&in)[kItems], T (&out)[kItems], Op op) {
    T ignored;
    InclusiveScan(in, out, op, ignored);
  }
  template <int kItems, class Op, class Last>
  OPGRADE_INLINE void InclusiveScan(T (&in)[kItems], T (&out)[kItems], Op op, Last& last) {
    Before before = scan(ThreadReduce(in, op), op, last);
    for (int i = 0; i < kItems; ++i) out[i] = add(before, in[i], op);
  }

  /// Without an initial value the first thread's result is undefined.
  template <class Op>
  OPGRADE_INLINE void ExclusiveScan(T in, T& out, Op op) {
    T ignored;
    exclusive_of_one(in, out, op, false, in, ignored);
  }
  template <class Op>
  OPGRADE_INLINE void ExclusiveScan(T in, T& out, Op op, T& all) {
    exclusive_of_one(in, out, op, false, in, all);
  }
  template <class Op>
  OPGRADE_INLINE void ExclusiveScan(T in, T& out, T initial, Op op) {
    T ignored;
    exclusive_of_one(in, out, op, true, initial, ignored);
  }
  template <class Op>
  OPGRADE_INLINE void ExclusiveScan(T in, T& out, T initial, Op op, T& all) {
    exclusive_of_one(in, out, op, true, initial, all);
  }
  template <class Op, class Prefix, class = decltype((T)std::declval<Prefix&>()(std::declval<T>()))>
  OPGRADE_INLINE void ExclusiveScan(T in, T& out, Op op, Prefix& prefix) {
    exclusive_of_one(in, out, op, false, in, prefix);
  }
  template <int kItems, class Op>
  OPGRADE_INLINE void ExclusiveScan(T (&in)[kItems], T (&out)[kItems], Op op) {
    T ignored;
    exclusive(in, out, op, false, in[0], ignored);
  }
  template <int kItems, class Op>
  OPGRADE_INLINE void ExclusiveScan(T (&in)[kItems], T (&out)[kItems], T initial, Op op) {
    T ignored;
    exclusive(in, out, op, true, initial, ignored);
  }
  template <int kItems, class Op>
  OPGRADE_INLINE void ExclusiveScan(T (&in)[kItems], T (&out)[kItems], T initial, Op op, T& all) {
    exclusive(in, out, op, true, initial, all);
  }
  template <int kItems, class Op, class Last>
  OPGRADE_INLINE void ExclusiveScan(T (&in)[kItems], T (&out)[kItems], Op op, Last& last) {
    exclusive(in, out, op, false, in[0], last);
  }

 private:
  struct Before {
    T sum;
    bool any;
  };
  template <class Op>
  static OPGRADE_INLINE T add(Before& before, const T& value, Op op) {
    before.sum = before.any ? (T)op(before.sum, value) : value;
    before.any = true;
    return before.sum;
  }

  template <class Op, class Last>
  OPGRADE_INLINE void exclusive_of_one(T in, T& out, Op op, bool has_initial, T initial,
                                       Last& last) {
    T one[1] = {in}, result[1];
    exclusive(one, result, op, has_initial, initial, last);
    out = result[0];
  }
  template <int kItems, class Op, class Last>
  OPGRADE_INLINE void exclusive(T (&in)[kItems], T (&out)[kItems], Op op, bool has_initial,
                                T initial, Last& last) {
    Before before = scan(ThreadReduce(in, op), op, last);
    if (has_initial) before = {before.any ? (T)op(initial, before.sum) : initial, true};
    for (int i = 0; i < kItems; ++i) {
      const T value = in[i];  // `in` and `out` may be one array
      out[i] = before.any ? before.sum : opgrade_emulation::undefined_value(value);
      add(before, value, op);
    }
  }

  /// Returns the sum of the threads before this one.
  template <class Op, class Last>
  OPGRADE_INLINE Before scan(T value, Op op, Last& last) {
    opgrade_emulation::require_block<kX, kY, kZ>();
    const int self = opgrade_emulation::thread_of_block(), warp = self / 32, lane = self % 32;
    const T sum = opgrade_emulation::scan_in_warp<32>(value, op);
    if (lane == 31 || self == kThreads - 1) of_warp_[warp] = sum;
    const T in_warp = opgrade_emulation::shuffle(opgrade_emulation::lanes_of_group<32>(), sum,
                                                 lane > 0 ? lane - 1 : 0);
    __syncthreads();
    Before before{in_warp, false};
    T all = of_warp_[0];
    for (int other = 0; other < kWarps; ++other) {
      if (other > 0) all = op(all, of_warp_[other]);
      if (other == warp - 1) before = {all, true};
    }
    if (lane > 0) before = {before.any ? (T)op(before.sum, in_warp) : in_warp, true};
    if constexpr (std::is_same<Last, T>::value) {
      last = all;
    } else {
      if (warp == 0) {
        const T prefix = last(all);
        if (lane == 0) of_warp_[kWarps] = prefix;
      }
      __syncthreads();
      const T prefix = of_warp_[kWarps];
      before = {before.any ? (T)op(prefix, before.sum) : prefix, true};
    }
    return before;
  }
  T* of_warp_;
};

}  // namespace cub
