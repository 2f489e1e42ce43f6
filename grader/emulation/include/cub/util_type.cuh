// Stands in for CUB's small types and function objects.
#pragma once
#pragma GCC system_header

#include <type_traits>

#include "../cuda/functional"
#include "../opgrade_emulation/collectives.hpp"

#define CUB_MAX(a, b) (((b) > (a)) ? (b) : (a))
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_PTX_WARP_THREADS 32
#define CUB_WARP_THREADS(unused) 32
#define CUB_LOG_WARP_THREADS(unused) 5
#define CUB_NS_PREFIX
#define CUB_NS_POSTFIX

namespace cub {

struct NullType {};

template <int kNumber>
struct Int2Type {
  enum { VALUE = kNumber };
};

template <class K, class V>
struct KeyValuePair {
  using Key = K;
  using Value = V;
  K key;
  V value;
  KeyValuePair() = default;
  KeyValuePair(const K& k, const V& v) : key(k), value(v) {}
  bool operator==(const KeyValuePair& b) const { return key == b.key && value == b.value; }
  bool operator!=(const KeyValuePair& b) const { return !(*this == b); }
};

/// Two buffers that a sort may use; Current() has the result.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {nullptr, nullptr};
  int selector = 0;
  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};

// Function objects of CUB before CUDA 13; since then there are only those of libcu++.
using Sum = opgrade_emulation::operators::plus<>;
using Difference = opgrade_emulation::operators::minus<>;
using Max = opgrade_emulation::operators::maximum<>;
using Min = opgrade_emulation::operators::minimum<>;
using Equality = opgrade_emulation::operators::equal_to<>;
using Inequality = opgrade_emulation::operators::not_equal_to<>;

/// Returns the pair with the larger value; of equal values the pair with the smaller key.
struct ArgMax {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return a.value < b.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
struct CastOp {};

template <class A, class B>
inline constexpr A DivideAndRoundUp(A n, B by) {
  return n / by + (n % by != 0 ? 1 : 0);
}
template <int kNumber>
struct Log2 {
  static constexpr int compute() {
    int log = 0;
    while ((1 << log) < kNumber) ++log;
    return log;
  }
  enum { VALUE = compute() };
};
template <int kNumber>
struct PowerOfTwo {
  enum { VALUE = (kNumber & (kNumber - 1)) == 0 };
};

/// Makes a class usable in a union or as a __shared__ variable.
template <class T>
struct Uninitialized {
  alignas(T) unsigned char opgrade_bytes[sizeof(T)];
  T& Alias() { return *(T*)(void*)this; }
};

inline unsigned LaneId() { return opgrade_emulation::lane_id(); }
inline unsigned WarpId() { return (unsigned)opgrade_emulation::thread_of_block() / 32; }
inline int RowMajorTid(int x, int y, int) {
  return (int)(threadIdx.x + threadIdx.y * x + threadIdx.z * x * y);
}

enum CacheLoadModifier {
  LOAD_DEFAULT,
  LOAD_CA,
  LOAD_CG,
  LOAD_CS,
  LOAD_CV,
  LOAD_LDG,
  LOAD_VOLATILE
};
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier kModifier, class It>
OPGRADE_INLINE auto ThreadLoad(It place) {
  auto value = *place;
  return value;
}
template <CacheStoreModifier kModifier, class It, class T>
OPGRADE_INLINE void ThreadStore(It place, T value) {
  *place = value;
}

/// Reduces the items of one thread, in order.
template <int kItems, class T, class Op>
OPGRADE_INLINE T ThreadReduce(T (&items)[kItems], Op op) {
  T sum = items[0];
  for (int i = 1; i < kItems; ++i) sum = op(sum, items[i]);
  return sum;
}

}  // namespace cub
