// Stands in for CUB's BlockLoad and BlockStore.
#pragma once
#pragma GCC system_header

#include "block_exchange.cuh"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

constexpr int kOpgradeAll = 0x7FFFFFFF;

template <class T, int kItems, class It>
OPGRADE_INLINE void LoadDirectBlocked(int self, It from, T (&items)[kItems],
                                      int valid = kOpgradeAll) {
  for (int i = 0; i < kItems; ++i)
    if (self * kItems + i < valid) items[i] = from[self * kItems + i];
}
template <class T, int kItems, class It, class Default>
OPGRADE_INLINE void LoadDirectBlocked(int self, It from, T (&items)[kItems], int valid,
                                      Default other) {
  for (T& item : items) item = other;
  LoadDirectBlocked(self, from, items, valid);
}
template <int kThreads, class T, int kItems, class It>
OPGRADE_INLINE void LoadDirectStriped(int self, It from, T (&items)[kItems],
                                      int valid = kOpgradeAll) {
  for (int i = 0; i < kItems; ++i)
    if (self + i * kThreads < valid) items[i] = from[self + i * kThreads];
}
template <int kThreads, class T, int kItems, class It, class Default>
OPGRADE_INLINE void LoadDirectStriped(int self, It from, T (&items)[kItems], int valid,
                                      Default other) {
  for (T& item : items) item = other;
  LoadDirectStriped<kThreads>(self, from, items, valid);
}
template <class T, int kItems, class It>
OPGRADE_INLINE void StoreDirectBlocked(int self, It to, T (&items)[kItems],
                                       int valid = kOpgradeAll) {
  for (int i = 0; i < kItems; ++i)
    if (self * kItems + i < valid) to[self * kItems + i] = items[i];
}
template <int kThreads, class T, int kItems, class It>
OPGRADE_INLINE void StoreDirectStriped(int self, It to, T (&items)[kItems],
                                       int valid = kOpgradeAll) {
  for (int i = 0; i < kItems; ++i)
    if (self + i * kThreads < valid) to[self + i * kThreads] = items[i];
}

namespace opgrade {

struct NoStorage {
  unsigned char unused;
};
/// Only an algorithm that transposes exchanges items between threads, so only that needs storage.
template <class Exchange, bool kExchanges>
using ExchangeStorage =
    typename std::conditional<kExchanges, typename Exchange::TempStorage, NoStorage>::type;

}  // namespace opgrade

/// Thread t gets the kItems items from t * kItems on; with BLOCK_LOAD_STRIPED every kThreads-th
/// item.
template <class T, int kX, int kItems, BlockLoadAlgorithm kAlgorithm = BLOCK_LOAD_DIRECT,
          int kY = 1, int kZ = 1, int = 0>
class BlockLoad {
  static constexpr int kThreads = kX * kY * kZ;
  static constexpr bool kExchanges =
      kAlgorithm == BLOCK_LOAD_TRANSPOSE || kAlgorithm == BLOCK_LOAD_WARP_TRANSPOSE;
  using Exchange = BlockExchange<T, kX, kItems, false, kY, kZ>;

 public:
  using TempStorage = opgrade::ExchangeStorage<Exchange, kExchanges>;
  OPGRADE_INLINE BlockLoad() : BlockLoad(opgrade_emulation::storage_of_type<TempStorage>()) {}
  OPGRADE_INLINE explicit BlockLoad(TempStorage& storage) : storage_(storage) {}

  template <class It>
  OPGRADE_INLINE void Load(It from, T (&items)[kItems], int valid = kOpgradeAll) {
    opgrade_emulation::require_block<kX, kY, kZ>();
    const int self = opgrade_emulation::thread_of_block();
    if constexpr (kExchanges) {
      LoadDirectStriped<kThreads>(self, from, items, valid);
      Exchange(storage_).StripedToBlocked(items, items);
    } else if constexpr (kAlgorithm == BLOCK_LOAD_STRIPED) {
      LoadDirectStriped<kThreads>(self, from, items, valid);
    } else {
      LoadDirectBlocked(self, from, items, valid);
    }
  }
  template <class It, class Default>
  OPGRADE_INLINE void Load(It from, T (&items)[kItems], int valid, Default other) {
    for (T& item : items) item = other;
    Load(from, items, valid);
  }

 private:
  TempStorage& storage_;
};

template <class T, int kX, int kItems, BlockStoreAlgorithm kAlgorithm = BLOCK_STORE_DIRECT,
          int kY = 1, int kZ = 1, int = 0>
class BlockStore {
  static constexpr int kThreads = kX * kY * kZ;
  static constexpr bool kExchanges =
      kAlgorithm == BLOCK_STORE_TRANSPOSE || kAlgorithm == BLOCK_STORE_WARP_TRANSPOSE;
  using Exchange = BlockExchange<T, kX, kItems, false, kY, kZ>;

 public:
  using TempStorage = opgrade::ExchangeStorage<Exchange, kExchanges>;
  OPGRADE_INLINE BlockStore() : BlockStore(opgrade_emulation::storage_of_type<TempStorage>()) {}
  OPGRADE_INLINE explicit BlockStore(TempStorage& storage) : storage_(storage) {}

  template <class It>
  OPGRADE_INLINE void Store(It to, T (&items)[kItems], int valid = kOpgradeAll) {
    opgrade_emulation::require_block<kX, kY, kZ>();
    const int self = opgrade_emulation::thread_of_block();
    if constexpr (kExchanges) {
      T striped[kItems];
      Exchange(storage_).BlockedToStriped(items, striped);
      StoreDirectStriped<kThreads>(self, to, striped, valid);
    } else if constexpr (kAlgorithm == BLOCK_STORE_STRIPED) {
      StoreDirectStriped<kThreads>(self, to, items, valid);
    } else {
      StoreDirectBlocked(self, to, items, valid);
    }
  }

 private:
  TempStorage& storage_;
};

}  // namespace cub
