// Stands in for CUB's DeviceScan.
#pragma once
#pragma GCC system_header

#include "dispatch.cuh"

namespace cub {

/// `in` and `out` may be the same buffer.
struct DeviceScan {
  template <class In, class Out, class Op, class N>
  static cudaError_t InclusiveScan(void* temporary, size_t& bytes, In in, Out out, Op op, N n,
                                   OPGRADE_STREAM_AND_SITE) {
    using T = opgrade::SumOf<Op, opgrade::ValueOf<In>, In>;
    return OPGRADE_CALL("cub::DeviceScan", (size_t)n / 64).run([=] {
      opgrade_emulation::scan_range<T>([=](size_t i) -> T { return in[i]; }, op,
                                       [=](size_t i, const T& sum) { out[i] = sum; }, (size_t)n,
                                       false, T());
    });
  }
  template <class In, class Out, class Op, class T, class N>
  static cudaError_t InclusiveScanInit(void* temporary, size_t& bytes, In in, Out out, Op op,
                                       T initial, N n, OPGRADE_STREAM_AND_SITE) {
    using Sum = opgrade::SumOf<Op, T, In>;
    return OPGRADE_CALL("cub::DeviceScan", (size_t)n / 64).run([=] {
      opgrade_emulation::scan_range<Sum>([=](size_t i) -> Sum { return in[i]; }, op,
                                         [=](size_t i, const Sum& sum) { out[i] = sum; }, (size_t)n,
                                         true, (Sum)initial);
    });
  }
  template <class In, class Out, class Op, class T, class N>
  static cudaError_t ExclusiveScan(void* temporary, size_t& bytes, In in, Out out, Op op, T initial,
                                   N n, OPGRADE_STREAM_AND_SITE) {
    using Sum = opgrade::SumOf<Op, T, In>;
    return OPGRADE_CALL("cub::DeviceScan", (size_t)n / 64).run([=] {
      // Element i is read before it is written, because both may be in one buffer.
      Sum before = (Sum)initial;
      opgrade_emulation::scan_range<Sum>([=](size_t i) -> Sum { return in[i]; }, op,
                                         [=, &before](size_t i, const Sum& sum) {
                                           out[i] = before;
                                           before = sum;
                                         },
                                         (size_t)n, true, (Sum)initial);
    });
  }
  template <class In, class Out, class N>
  static cudaError_t InclusiveSum(void* temporary, size_t& bytes, In in, Out out, N n,
                                  OPGRADE_STREAM_AND_SITE) {
    return InclusiveScan(temporary, bytes, in, out, cub::Sum(), n, stream, false, opgrade_file,
                         opgrade_line);
  }
  template <class In, class Out, class N>
  static cudaError_t ExclusiveSum(void* temporary, size_t& bytes, In in, Out out, N n,
                                  OPGRADE_STREAM_AND_SITE) {
    return ExclusiveScan(temporary, bytes, in, out, cub::Sum(), opgrade::ValueOf<In>(), n, stream,
                         false, opgrade_file, opgrade_line);
  }
  // The forms with one buffer for input and output.
  template <class It, class N, class = typename std::enable_if<std::is_integral<N>::value>::type>
  static cudaError_t InclusiveSum(void* temporary, size_t& bytes, It both, N n,
                                  OPGRADE_STREAM_AND_SITE) {
    return InclusiveSum(temporary, bytes, both, both, n, stream, false, opgrade_file, opgrade_line);
  }
  template <class It, class N, class = typename std::enable_if<std::is_integral<N>::value>::type>
  static cudaError_t ExclusiveSum(void* temporary, size_t& bytes, It both, N n,
                                  OPGRADE_STREAM_AND_SITE) {
    return ExclusiveSum(temporary, bytes, both, both, n, stream, false, opgrade_file, opgrade_line);
  }
  template <class Keys, class In, class Out, class N>
  static cudaError_t InclusiveSumByKey(void* temporary, size_t& bytes, Keys keys, In in, Out out,
                                       N n, OPGRADE_STREAM_AND_SITE) {
    using T = opgrade::SumOf<cub::Sum, opgrade::ValueOf<In>, In>;
    return OPGRADE_CALL("cub::DeviceScan", (size_t)n / 64).run([=] {
      T sum{};
      for (size_t i = 0; i < (size_t)n; ++i) {
        const T value = in[i];
        sum = i > 0 && keys[i - 1] == keys[i] ? (T)(sum + value) : value;
        out[i] = sum;
      }
    });
  }
  template <class Keys, class In, class Out, class N>
  static cudaError_t ExclusiveSumByKey(void* temporary, size_t& bytes, Keys keys, In in, Out out,
                                       N n, OPGRADE_STREAM_AND_SITE) {
    using T = opgrade::SumOf<cub::Sum, opgrade::ValueOf<In>, In>;
    return OPGRADE_CALL("cub::DeviceScan", (size_t)n / 64).run([=] {
      T sum{};
      for (size_t i = 0; i < (size_t)n; ++i) {
        if (i == 0 || !(keys[i - 1] == keys[i])) sum = T();
        const T value = in[i];
        out[i] = sum;
        sum = (T)(sum + value);
      }
    });
  }
};

}  // namespace cub
