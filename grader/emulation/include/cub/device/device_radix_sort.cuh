// Stands in for CUB's DeviceRadixSort, DeviceMergeSort and their siblings of segments.
#pragma once
#pragma GCC system_header

#include "dispatch.cuh"

namespace cub {
namespace opgrade {

/// Sorts elements [begin, end) of the keys, and of the values if there are any.
template <class K, class V>
inline void radix_sort(const K* in, K* out, const V* values, V* sorted, size_t begin, size_t end,
                       int first_bit, int last_bit, bool descending) {
  if (begin >= end) return;
  const size_t n = end - begin;
  opgrade_emulation::Scratch<K> keys(n);
  opgrade_emulation::Scratch<size_t> order(n);
  for (size_t i = 0; i < n; ++i) keys.set(i, in[begin + i]);
  opgrade_emulation::sort_by_bits(keys, order, first_bit, last_bit, descending);
  for (size_t i = 0; i < n; ++i) out[begin + i] = keys.get(order.get(i));
  if constexpr (!std::is_same<V, NullType>::value) {
    // CUB forbids overlapping inputs and outputs, but on a GPU its sorts are right even if they
    // overlap.
    opgrade_emulation::Scratch<V> others(n);
    for (size_t i = 0; i < n; ++i) others.set(i, values[begin + i]);
    for (size_t i = 0; i < n; ++i) sorted[begin + i] = others.get(order.get(i));
  }
}

}  // namespace opgrade

#define OPGRADE_BITS int begin_bit = 0, int end_bit = (int)sizeof(K) * 8
#define OPGRADE_SORTS(suffix, descending)                                                          \
  template <class K, class N>                                                                      \
  static cudaError_t SortKeys##suffix(void* temporary, size_t& bytes, const K* in, K* out, N n,    \
                                      OPGRADE_BITS, OPGRADE_STREAM_AND_SITE) {                     \
    return sort<K, NullType>(OPGRADE_CALL("cub::DeviceRadixSort", (size_t)n * sizeof(K)), in, out, \
                             nullptr, nullptr, (size_t)n, begin_bit, end_bit, descending);         \
  }                                                                                                \
  template <class K, class N>                                                                      \
  static cudaError_t SortKeys##suffix(void* temporary, size_t& bytes, DoubleBuffer<K>& keys, N n,  \
                                      OPGRADE_BITS, OPGRADE_STREAM_AND_SITE) {                     \
    const cudaError_t error = sort<K, NullType>(                                                   \
        OPGRADE_CALL("cub::DeviceRadixSort", 0), keys.Current(), keys.Alternate(), nullptr,        \
        nullptr, (size_t)n, begin_bit, end_bit, descending);                                       \
    if (temporary != nullptr && error == cudaSuccess) keys.selector ^= 1;                          \
    return error;                                                                                  \
  }                                                                                                \
  template <class K, class V, class N>                                                             \
  static cudaError_t SortPairs##suffix(void* temporary, size_t& bytes, const K* in, K* out,        \
                                       const V* values, V* sorted, N n, OPGRADE_BITS,              \
                                       OPGRADE_STREAM_AND_SITE) {                                  \
    return sort<K, V>(OPGRADE_CALL("cub::DeviceRadixSort", (size_t)n * (sizeof(K) + sizeof(V))),   \
                      in, out, values, sorted, (size_t)n, begin_bit, end_bit, descending);         \
  }                                                                                                \
  template <class K, class V, class N>                                                             \
  static cudaError_t SortPairs##suffix(void* temporary, size_t& bytes, DoubleBuffer<K>& keys,      \
                                       DoubleBuffer<V>& values, N n, OPGRADE_BITS,                 \
                                       OPGRADE_STREAM_AND_SITE) {                                  \
    const cudaError_t error = sort<K, V>(OPGRADE_CALL("cub::DeviceRadixSort", 0), keys.Current(),  \
                                         keys.Alternate(), values.Current(), values.Alternate(),   \
                                         (size_t)n, begin_bit, end_bit, descending);               \
    if (temporary != nullptr && error == cudaSuccess) {                                            \
      keys.selector ^= 1;                                                                          \
      values.selector ^= 1;                                                                        \
    }                                                                                              \
    return error;                                                                                  \
  }

struct DeviceRadixSort {
  OPGRADE_SORTS(, false)
  OPGRADE_SORTS(Descending, true)

 private:
  template <class K, class V>
  static cudaError_t sort(const opgrade::Call& call, const K* in, K* out, const V* values,
                          V* sorted, size_t n, int begin_bit, int end_bit, bool descending) {
    return call.run([=] {
      opgrade::radix_sort(in, out, values, sorted, 0, n, begin_bit, end_bit, descending);
    });
  }
};
#undef OPGRADE_SORTS

#define OPGRADE_SEGMENT_SORTS(function, suffix, descending)                                        \
  template <class K, class Begins, class Ends>                                                     \
  static cudaError_t function##Keys##suffix(void* temporary, size_t& bytes, const K* in, K* out,   \
                                            long long n, long long segments, Begins begins,        \
                                            Ends ends, OPGRADE_BITS, OPGRADE_STREAM_AND_SITE) {    \
    return OPGRADE_CALL("cub::DeviceSegmentedSort", (size_t)n * sizeof(K)).run([=] {               \
      for (long long i = 0; i < segments; ++i)                                                     \
        opgrade::radix_sort<K, NullType>(in, out, nullptr, nullptr, (size_t)begins[i],             \
                                         (size_t)ends[i], begin_bit, end_bit, descending);         \
    });                                                                                            \
  }                                                                                                \
  template <class K, class V, class Begins, class Ends>                                            \
  static cudaError_t function##Pairs##suffix(void* temporary, size_t& bytes, const K* in, K* out,  \
                                             const V* values, V* sorted, long long n,              \
                                             long long segments, Begins begins, Ends ends,         \
                                             OPGRADE_BITS, OPGRADE_STREAM_AND_SITE) {              \
    return OPGRADE_CALL("cub::DeviceSegmentedSort", (size_t)n * (sizeof(K) + sizeof(V))).run([=] { \
      for (long long i = 0; i < segments; ++i)                                                     \
        opgrade::radix_sort(in, out, values, sorted, (size_t)begins[i], (size_t)ends[i],           \
                            begin_bit, end_bit, descending);                                       \
    });                                                                                            \
  }

struct DeviceSegmentedRadixSort {
  OPGRADE_SEGMENT_SORTS(Sort, , false)
  OPGRADE_SEGMENT_SORTS(Sort, Descending, true)
};
/// Its functions have no bit range; the overloads with one do no harm.
struct DeviceSegmentedSort : DeviceSegmentedRadixSort {
  OPGRADE_SEGMENT_SORTS(StableSort, , false)
  OPGRADE_SEGMENT_SORTS(StableSort, Descending, true)
};
#undef OPGRADE_BITS
#undef OPGRADE_SEGMENT_SORTS

struct DeviceMergeSort {
  template <class Keys, class N, class Less>
  static cudaError_t SortKeys(void* temporary, size_t& bytes, Keys keys, N n, Less less,
                              OPGRADE_STREAM_AND_SITE) {
    return sort(OPGRADE_CALL("cub::DeviceMergeSort", needed(keys, n)), keys, keys,
                (NullType*)nullptr, n, less);
  }
  template <class Keys, class N, class Less>
  static cudaError_t StableSortKeys(void* temporary, size_t& bytes, Keys keys, N n, Less less,
                                    OPGRADE_STREAM_AND_SITE) {
    return sort(OPGRADE_CALL("cub::DeviceMergeSort", needed(keys, n)), keys, keys,
                (NullType*)nullptr, n, less);
  }
  template <class In, class Keys, class N, class Less>
  static cudaError_t SortKeysCopy(void* temporary, size_t& bytes, In in, Keys keys, N n, Less less,
                                  OPGRADE_STREAM_AND_SITE) {
    return sort(OPGRADE_CALL("cub::DeviceMergeSort", needed(keys, n)), in, keys, (NullType*)nullptr,
                n, less);
  }
  template <class Keys, class Values, class N, class Less>
  static cudaError_t SortPairs(void* temporary, size_t& bytes, Keys keys, Values values, N n,
                               Less less, OPGRADE_STREAM_AND_SITE) {
    return sort(OPGRADE_CALL("cub::DeviceMergeSort", needed(keys, n)), keys, keys, values, n, less);
  }
  template <class Keys, class Values, class N, class Less>
  static cudaError_t StableSortPairs(void* temporary, size_t& bytes, Keys keys, Values values, N n,
                                     Less less, OPGRADE_STREAM_AND_SITE) {
    return sort(OPGRADE_CALL("cub::DeviceMergeSort", needed(keys, n)), keys, keys, values, n, less);
  }

 private:
  template <class Keys, class N>
  static size_t needed(Keys, N n) {
    return (size_t)n * sizeof(opgrade::ValueOf<Keys>);
  }
  template <class In, class Out, class Values, class N, class Less>
  static cudaError_t sort(const opgrade::Call& call, In in, Out out, Values values, N count,
                          Less less) {
    using K = opgrade::ValueOf<In>;
    using V = opgrade::ValueOf<Values>;
    const size_t n = (size_t)count;
    return call.run([=] {
      opgrade_emulation::Scratch<K> keys(n);
      opgrade_emulation::Scratch<size_t> order(n);
      for (size_t i = 0; i < n; ++i) keys.set(i, in[i]);
      opgrade_emulation::merge_sort(keys, order, less);
      for (size_t i = 0; i < n; ++i) out[i] = keys.get(order.get(i));
      if constexpr (!std::is_same<V, NullType>::value) {
        opgrade_emulation::Scratch<V> old(n);
        for (size_t i = 0; i < n; ++i) old.set(i, values[i]);
        for (size_t i = 0; i < n; ++i) values[i] = old.get(order.get(i));
      }
    });
  }
};

}  // namespace cub
