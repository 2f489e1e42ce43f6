// Stands in for CUB's BlockRadixSort and BlockMergeSort. The block's first thread sorts.
#pragma once
#pragma GCC system_header

#include "../util_type.cuh"

namespace cub {
namespace opgrade {

/// Keys, then values, use the same part of shared memory.
template <class K, class V, int kX, int kItems, int kY, int kZ>
class BlockSort {
  static constexpr int kThreads = kX * kY * kZ, kAll = kThreads * kItems;
  static constexpr size_t kBytes = (sizeof(K) > sizeof(V) ? sizeof(K) : sizeof(V)) * kAll;
  static constexpr size_t kAlignment = alignof(K) > alignof(V) ? alignof(K) : alignof(V);

 public:
  struct TempStorage {
    alignas(kAlignment) unsigned char opgrade_bytes[kBytes];
  };
  OPGRADE_INLINE BlockSort() : BlockSort(opgrade_emulation::storage_of_type<TempStorage>()) {}
  OPGRADE_INLINE explicit BlockSort(TempStorage& storage) : memory_(storage.opgrade_bytes) {}

 protected:
  using Order = opgrade_emulation::Scratch<size_t>;

  /// Calls `sorts(keys, order)` in the first thread. `values` may be null.
  template <class Sorts>
  OPGRADE_INLINE void sort(K (&keys)[kItems], V* values, bool striped, Sorts sorts) {
    opgrade_emulation::require_block<kX, kY, kZ>();
    const int self = opgrade_emulation::thread_of_block();
    K* const all = (K*)memory_;
    for (int i = 0; i < kItems; ++i) all[self * kItems + i] = keys[i];
    __syncthreads();
    Order order(self == 0 ? kAll : 0);
    if (self == 0) {
      opgrade_emulation::Scratch<K> in(kAll);
      for (int i = 0; i < kAll; ++i) in.set(i, all[i]);
      sorts(in, order);
      for (int i = 0; i < kAll; ++i) all[i] = in.get(order.get(i));
    }
    __syncthreads();
    take(all, keys, self, striped);
    if (values == nullptr) return;
    __syncthreads();
    V* const others = (V*)memory_;
    for (int i = 0; i < kItems; ++i) others[self * kItems + i] = values[i];
    __syncthreads();
    if (self == 0) {
      opgrade_emulation::Scratch<V> in(kAll);
      for (int i = 0; i < kAll; ++i) in.set(i, others[i]);
      for (int i = 0; i < kAll; ++i) others[i] = in.get(order.get(i));
    }
    __syncthreads();
    take(others, values, self, striped);
  }

 private:
  template <class T>
  OPGRADE_INLINE void take(const T* all, T* items, int self, bool striped) {
    for (int i = 0; i < kItems; ++i)
      items[i] = all[striped ? self + i * kThreads : self * kItems + i];
    opgrade_emulation::read_neighbour(all, striped ? self : self * kItems + kItems - 1, kAll);
  }
  void* memory_;
};

}  // namespace opgrade

template <class K, int kX, int kItems, class V = NullType, int = 4, bool = true, int = 0, int = 0,
          int kY = 1, int kZ = 1, int = 0>
class BlockRadixSort : public opgrade::BlockSort<K, V, kX, kItems, kY, kZ> {
  using Base = opgrade::BlockSort<K, V, kX, kItems, kY, kZ>;
  static constexpr int kBits = (int)sizeof(K) * 8;

 public:
  using Base::Base;
  OPGRADE_INLINE void Sort(K (&keys)[kItems], int begin = 0, int end = kBits) {
    radix(keys, nullptr, false, false, begin, end);
  }
  OPGRADE_INLINE void Sort(K (&keys)[kItems], V (&values)[kItems], int begin = 0, int end = kBits) {
    radix(keys, values, false, false, begin, end);
  }
  OPGRADE_INLINE void SortDescending(K (&keys)[kItems], int begin = 0, int end = kBits) {
    radix(keys, nullptr, true, false, begin, end);
  }
  OPGRADE_INLINE void SortDescending(K (&keys)[kItems], V (&values)[kItems], int begin = 0,
                                     int end = kBits) {
    radix(keys, values, true, false, begin, end);
  }
  OPGRADE_INLINE void SortBlockedToStriped(K (&keys)[kItems], int begin = 0, int end = kBits) {
    radix(keys, nullptr, false, true, begin, end);
  }
  OPGRADE_INLINE void SortBlockedToStriped(K (&keys)[kItems], V (&values)[kItems], int begin = 0,
                                           int end = kBits) {
    radix(keys, values, false, true, begin, end);
  }
  OPGRADE_INLINE void SortDescendingBlockedToStriped(K (&keys)[kItems], int begin = 0,
                                                     int end = kBits) {
    radix(keys, nullptr, true, true, begin, end);
  }
  OPGRADE_INLINE void SortDescendingBlockedToStriped(K (&keys)[kItems], V (&values)[kItems],
                                                     int begin = 0, int end = kBits) {
    radix(keys, values, true, true, begin, end);
  }

 private:
  OPGRADE_INLINE void radix(K (&keys)[kItems], V* values, bool descending, bool striped, int begin,
                            int end) {
    this->sort(keys, values, striped,
               [=](const opgrade_emulation::Scratch<K>& in, typename Base::Order& order) {
                 opgrade_emulation::sort_by_bits(in, order, begin, end, descending);
               });
  }
};

template <class K, int kX, int kItems, class V = NullType, int kY = 1, int kZ = 1>
class BlockMergeSort : public opgrade::BlockSort<K, V, kX, kItems, kY, kZ> {
  using Base = opgrade::BlockSort<K, V, kX, kItems, kY, kZ>;

 public:
  using Base::Base;
  template <class Less>
  OPGRADE_INLINE void Sort(K (&keys)[kItems], Less less) {
    merge(keys, nullptr, less);
  }
  template <class Less>
  OPGRADE_INLINE void Sort(K (&keys)[kItems], V (&values)[kItems], Less less) {
    merge(keys, values, less);
  }
  template <class Less>
  OPGRADE_INLINE void StableSort(K (&keys)[kItems], Less less) {
    merge(keys, nullptr, less);
  }
  template <class Less>
  OPGRADE_INLINE void StableSort(K (&keys)[kItems], V (&values)[kItems], Less less) {
    merge(keys, values, less);
  }
  /// Keys behind the first `valid` count as `last`.
  template <class Less>
  OPGRADE_INLINE void Sort(K (&keys)[kItems], Less less, int valid, K last) {
    fill(keys, valid, last);
    merge(keys, nullptr, less);
  }
  template <class Less>
  OPGRADE_INLINE void Sort(K (&keys)[kItems], V (&values)[kItems], Less less, int valid, K last) {
    fill(keys, valid, last);
    merge(keys, values, less);
  }

 private:
  static OPGRADE_INLINE void fill(K (&keys)[kItems], int valid, K last) {
    for (int i = 0; i < kItems; ++i)
      if (opgrade_emulation::thread_of_block() * kItems + i >= valid) keys[i] = last;
  }
  template <class Less>
  OPGRADE_INLINE void merge(K (&keys)[kItems], V* values, Less less) {
    this->sort(keys, values, false,
               [=](const opgrade_emulation::Scratch<K>& in, typename Base::Order& order) {
                 opgrade_emulation::merge_sort(in, order, less);
               });
  }
};

}  // namespace cub
