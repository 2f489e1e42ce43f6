// Stands in for CUB's BlockExchange.
#pragma once
#pragma GCC system_header

#include "../util_type.cuh"

namespace cub {

template <class T, int kX, int kItems, bool = false, int kY = 1, int kZ = 1, int = 0>
class BlockExchange {
  static constexpr int kThreads = kX * kY * kZ, kAll = kThreads * kItems;

 public:
  struct TempStorage {
    alignas(T) unsigned char opgrade_bytes[sizeof(T) * kAll];
  };
  OPGRADE_INLINE BlockExchange()
      : BlockExchange(opgrade_emulation::storage_of_type<TempStorage>()) {}
  OPGRADE_INLINE explicit BlockExchange(TempStorage& storage)
      : all_((T*)(void*)storage.opgrade_bytes) {}

  OPGRADE_INLINE void StripedToBlocked(T (&items)[kItems]) { StripedToBlocked(items, items); }
  template <class Out>
  OPGRADE_INLINE void StripedToBlocked(const T (&in)[kItems], Out (&out)[kItems]) {
    const int self = begin();
    for (int i = 0; i < kItems; ++i) all_[self + i * kThreads] = in[i];
    __syncthreads();
    for (int i = 0; i < kItems; ++i) out[i] = all_[self * kItems + i];
    opgrade_emulation::read_neighbour(all_, self * kItems + kItems - 1, kAll);
  }
  OPGRADE_INLINE void BlockedToStriped(T (&items)[kItems]) { BlockedToStriped(items, items); }
  template <class Out>
  OPGRADE_INLINE void BlockedToStriped(const T (&in)[kItems], Out (&out)[kItems]) {
    const int self = begin();
    for (int i = 0; i < kItems; ++i) all_[self * kItems + i] = in[i];
    __syncthreads();
    for (int i = 0; i < kItems; ++i) out[i] = all_[self + i * kThreads];
    opgrade_emulation::read_neighbour(all_, self, kAll);
  }
  template <class Out, class Rank>
  OPGRADE_INLINE void ScatterToBlocked(const T (&in)[kItems], Out (&out)[kItems],
                                       const Rank (&ranks)[kItems]) {
    const int self = begin();
    for (int i = 0; i < kItems; ++i) all_[ranks[i]] = in[i];
    __syncthreads();
    for (int i = 0; i < kItems; ++i) out[i] = all_[self * kItems + i];
    opgrade_emulation::read_neighbour(all_, self * kItems + kItems - 1, kAll);
  }
  template <class Rank>
  OPGRADE_INLINE void ScatterToBlocked(T (&items)[kItems], const Rank (&ranks)[kItems]) {
    ScatterToBlocked(items, items, ranks);
  }
  template <class Out, class Rank>
  OPGRADE_INLINE void ScatterToStriped(const T (&in)[kItems], Out (&out)[kItems],
                                       const Rank (&ranks)[kItems]) {
    const int self = begin();
    for (int i = 0; i < kItems; ++i) all_[ranks[i]] = in[i];
    __syncthreads();
    for (int i = 0; i < kItems; ++i) out[i] = all_[self + i * kThreads];
    opgrade_emulation::read_neighbour(all_, self, kAll);
  }
  template <class Rank>
  OPGRADE_INLINE void ScatterToStriped(T (&items)[kItems], const Rank (&ranks)[kItems]) {
    ScatterToStriped(items, items, ranks);
  }

 private:
  static OPGRADE_INLINE int begin() {
    opgrade_emulation::require_block<kX, kY, kZ>();
    return opgrade_emulation::thread_of_block();
  }
  T* all_;
};

}  // namespace cub
