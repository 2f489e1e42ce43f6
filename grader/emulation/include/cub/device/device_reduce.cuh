// Stands in for CUB's DeviceReduce and DeviceSegmentedReduce.
#pragma once
#pragma GCC system_header

#include <limits>

#include "dispatch.cuh"

namespace cub {
namespace opgrade {

template <class Sum, class In, class Op>
inline Sum reduce(In in, size_t begin, size_t end, Op op, Sum initial) {
  if (begin >= end) return initial;
  return op(initial, opgrade_emulation::reduce_range<Sum>(
                         [=](size_t i) -> Sum { return (Sum)in[i]; }, op, begin, end));
}

/// Returns the best value and its index from `begin`.
template <class In, class Best>
inline auto find_best(In in, size_t begin, size_t end, Best best) {
  using Pair = KeyValuePair<int, ValueOf<In>>;
  return opgrade_emulation::reduce_range<Pair>(
      [=](size_t i) { return Pair((int)(i - begin), in[i]); }, best, begin, end);
}

template <class T>
constexpr T lowest() {
  return std::numeric_limits<T>::lowest();
}
template <class T>
constexpr T highest() {
  return std::numeric_limits<T>::max();
}

}  // namespace opgrade

struct DeviceReduce {
  template <class In, class Out, class N, class Op, class T>
  static cudaError_t Reduce(void* temporary, size_t& bytes, In in, Out out, N n, Op op, T initial,
                            OPGRADE_STREAM_AND_SITE) {
    using Sum = opgrade::SumOf<Op, T, In>;
    return OPGRADE_CALL("cub::DeviceReduce", 0).run([=] {
      *out = opgrade::reduce<Sum>(in, 0, (size_t)n, op, (Sum)initial);
    });
  }
  template <class In, class Out, class N>
  static cudaError_t Sum(void* temporary, size_t& bytes, In in, Out out, N n,
                         OPGRADE_STREAM_AND_SITE) {
    return Reduce(temporary, bytes, in, out, n, cub::Sum(), opgrade::StartOf<In, Out>(), stream,
                  false, opgrade_file, opgrade_line);
  }
  template <class In, class Out, class N>
  static cudaError_t Max(void* temporary, size_t& bytes, In in, Out out, N n,
                         OPGRADE_STREAM_AND_SITE) {
    return Reduce(temporary, bytes, in, out, n, cub::Max(), opgrade::lowest<opgrade::ValueOf<In>>(),
                  stream, false, opgrade_file, opgrade_line);
  }
  template <class In, class Out, class N>
  static cudaError_t Min(void* temporary, size_t& bytes, In in, Out out, N n,
                         OPGRADE_STREAM_AND_SITE) {
    return Reduce(temporary, bytes, in, out, n, cub::Min(),
                  opgrade::highest<opgrade::ValueOf<In>>(), stream, false, opgrade_file,
                  opgrade_line);
  }
  template <class In, class Out, class N>
  static cudaError_t ArgMax(void* temporary, size_t& bytes, In in, Out out, N n,
                            OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceReduce", 0).run([=] {
      *out = n > 0 ? opgrade::find_best(in, 0, (size_t)n, cub::ArgMax())
                   : KeyValuePair<int, opgrade::ValueOf<In>>(
                         1, opgrade::lowest<opgrade::ValueOf<In>>());
    });
  }
  template <class In, class Out, class N>
  static cudaError_t ArgMin(void* temporary, size_t& bytes, In in, Out out, N n,
                            OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceReduce", 0).run([=] {
      *out = n > 0 ? opgrade::find_best(in, 0, (size_t)n, cub::ArgMin())
                   : KeyValuePair<int, opgrade::ValueOf<In>>(
                         1, opgrade::highest<opgrade::ValueOf<In>>());
    });
  }
  /// The form of CUDA 13, which returns value and index separately.
  template <class In, class Value, class Index, class = decltype(*std::declval<Index>())>
  static cudaError_t ArgMax(void* temporary, size_t& bytes, In in, Value value, Index index,
                            long long n, OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceReduce", 0).run([=] {
      if (n <= 0) return;
      const auto best = opgrade::find_best(in, 0, (size_t)n, cub::ArgMax());
      *value = best.value;
      *index = best.key;
    });
  }
  template <class In, class Value, class Index, class = decltype(*std::declval<Index>())>
  static cudaError_t ArgMin(void* temporary, size_t& bytes, In in, Value value, Index index,
                            long long n, OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceReduce", 0).run([=] {
      if (n <= 0) return;
      const auto best = opgrade::find_best(in, 0, (size_t)n, cub::ArgMin());
      *value = best.value;
      *index = best.key;
    });
  }
  template <class In, class Out, class N, class Op, class Transform, class T>
  static cudaError_t TransformReduce(void* temporary, size_t& bytes, In in, Out out, N n, Op op,
                                     Transform transform, T initial, OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceReduce", 0).run([=] {
      T sum = initial;
      if (n > 0)
        sum = op(sum, opgrade_emulation::reduce_range<T>(
                          [=](size_t i) -> T { return (T)transform(in[i]); }, op, 0, (size_t)n));
      *out = sum;
    });
  }
  template <class Keys, class Unique, class Values, class Sums, class Runs, class Op, class N>
  static cudaError_t ReduceByKey(void* temporary, size_t& bytes, Keys keys, Unique unique,
                                 Values values, Sums sums, Runs runs, Op op, N n,
                                 OPGRADE_STREAM_AND_SITE) {
    using T = opgrade::ValueOf<Values>;
    return OPGRADE_CALL("cub::DeviceReduce", 0).run([=] {
      size_t run = 0;
      for (size_t begin = 0, end; begin < (size_t)n; begin = end, ++run) {
        const opgrade::ValueOf<Keys> key = keys[begin];
        for (end = begin + 1; end < (size_t)n && keys[end] == key;) ++end;
        unique[run] = key;
        sums[run] = opgrade_emulation::reduce_range<T>([=](size_t i) -> T { return values[i]; }, op,
                                                       begin, end);
      }
      *runs = run;
    });
  }
};

struct DeviceSegmentedReduce {
  template <class In, class Out, class Begins, class Ends, class Op, class T>
  static cudaError_t Reduce(void* temporary, size_t& bytes, In in, Out out, long long segments,
                            Begins begins, Ends ends, Op op, T initial, OPGRADE_STREAM_AND_SITE) {
    using Sum = opgrade::SumOf<Op, T, In>;
    return OPGRADE_CALL("cub::DeviceSegmentedReduce", 0).run([=] {
      for (long long i = 0; i < segments; ++i)
        out[i] = opgrade::reduce<Sum>(in, (size_t)begins[i], (size_t)ends[i], op, (Sum)initial);
    });
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t Sum(void* temporary, size_t& bytes, In in, Out out, long long segments,
                         Begins begins, Ends ends, OPGRADE_STREAM_AND_SITE) {
    return Reduce(temporary, bytes, in, out, segments, begins, ends, cub::Sum(),
                  opgrade::StartOf<In, Out>(), stream, false, opgrade_file, opgrade_line);
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t Max(void* temporary, size_t& bytes, In in, Out out, long long segments,
                         Begins begins, Ends ends, OPGRADE_STREAM_AND_SITE) {
    return Reduce(temporary, bytes, in, out, segments, begins, ends, cub::Max(),
                  opgrade::lowest<opgrade::ValueOf<In>>(), stream, false, opgrade_file,
                  opgrade_line);
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t Min(void* temporary, size_t& bytes, In in, Out out, long long segments,
                         Begins begins, Ends ends, OPGRADE_STREAM_AND_SITE) {
    return Reduce(temporary, bytes, in, out, segments, begins, ends, cub::Min(),
                  opgrade::highest<opgrade::ValueOf<In>>(), stream, false, opgrade_file,
                  opgrade_line);
  }
};

}  // namespace cub
