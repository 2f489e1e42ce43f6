// Stands in for CUB's DeviceSelect, DevicePartition and DeviceRunLengthEncode.
#pragma once
#pragma GCC system_header

#include "dispatch.cuh"

namespace cub {
namespace opgrade {

/// Distinguishes the number of items of one overload from a pointer in the same place of another.
template <class N>
using IfNumber = typename std::enable_if<std::is_integral<N>::value>::type;

/// Copies the selected items in order. If the others are wanted, copies them backwards from the
/// end.
template <class In, class Out, class Count, class Selects>
inline void select(In in, Out out, Count count, size_t n, bool partition, Selects selects) {
  size_t selected = 0, others = 0;
  for (size_t i = 0; i < n; ++i) {
    const ValueOf<In> value = in[i];
    if (selects(i, value))
      out[selected++] = value;
    else if (partition)
      out[n - ++others] = value;
  }
  *count = selected;
}

}  // namespace opgrade

struct DeviceSelect {
  template <class In, class Out, class Count, class N, class Predicate,
            class = opgrade::IfNumber<N>>
  static cudaError_t If(void* temporary, size_t& bytes, In in, Out out, Count count, N n,
                        Predicate predicate, OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceSelect", (size_t)n / 64).run([=] {
      opgrade::select(in, out, count, (size_t)n, false,
                      [=](size_t, const auto& value) { return (bool)predicate(value); });
    });
  }
  template <class Data, class Count, class N, class Predicate, class = opgrade::IfNumber<N>>
  static cudaError_t If(void* temporary, size_t& bytes, Data data, Count count, N n,
                        Predicate predicate, OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceSelect", (size_t)n / 64).run([=] {
      opgrade::select(data, data, count, (size_t)n, false,
                      [=](size_t, const auto& value) { return (bool)predicate(value); });
    });
  }
  template <class In, class Flags, class Out, class Count, class N, class = opgrade::IfNumber<N>>
  static cudaError_t Flagged(void* temporary, size_t& bytes, In in, Flags flags, Out out,
                             Count count, N n, OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceSelect", (size_t)n / 64).run([=] {
      opgrade::select(in, out, count, (size_t)n, false,
                      [=](size_t i, const auto&) { return (bool)flags[i]; });
    });
  }
  template <class Data, class Flags, class Count, class N, class = opgrade::IfNumber<N>>
  static cudaError_t Flagged(void* temporary, size_t& bytes, Data data, Flags flags, Count count,
                             N n, OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceSelect", (size_t)n / 64).run([=] {
      opgrade::select(data, data, count, (size_t)n, false,
                      [=](size_t i, const auto&) { return (bool)flags[i]; });
    });
  }
  template <class Data, class Flags, class Count, class N, class Predicate,
            class = opgrade::IfNumber<N>>
  static cudaError_t FlaggedIf(void* temporary, size_t& bytes, Data data, Flags flags, Count count,
                               N n, Predicate predicate, OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceSelect", (size_t)n / 64).run([=] {
      opgrade::select(data, data, count, (size_t)n, false,
                      [=](size_t i, const auto&) { return (bool)predicate(flags[i]); });
    });
  }
  template <class In, class Flags, class Out, class Count, class N, class Predicate,
            class = opgrade::IfNumber<N>>
  static cudaError_t FlaggedIf(void* temporary, size_t& bytes, In in, Flags flags, Out out,
                               Count count, N n, Predicate predicate, OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceSelect", (size_t)n / 64).run([=] {
      opgrade::select(in, out, count, (size_t)n, false,
                      [=](size_t i, const auto&) { return (bool)predicate(flags[i]); });
    });
  }
  template <class Keys, class Values, class OutKeys, class OutValues, class Count, class N>
  static cudaError_t UniqueByKey(void* temporary, size_t& bytes, Keys keys, Values values,
                                 OutKeys out_keys, OutValues out_values, Count count, N n,
                                 OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceSelect", (size_t)n / 64).run([=] {
      size_t selected = 0;
      for (size_t i = 0; i < (size_t)n; ++i) {
        if (i > 0 && keys[i - 1] == keys[i]) continue;
        out_keys[selected] = keys[i];
        out_values[selected++] = values[i];
      }
      *count = selected;
    });
  }
  template <class In, class Out, class Count, class N>
  static cudaError_t Unique(void* temporary, size_t& bytes, In in, Out out, Count count, N n,
                            OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceSelect", (size_t)n / 64).run([=] {
      opgrade::select(in, out, count, (size_t)n, false,
                      [=](size_t i, const auto& value) { return i == 0 || !(in[i - 1] == value); });
    });
  }
};

struct DevicePartition {
  template <class In, class Out, class Count, class N, class Predicate>
  static cudaError_t If(void* temporary, size_t& bytes, In in, Out out, Count count, N n,
                        Predicate predicate, OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DevicePartition", (size_t)n / 64).run([=] {
      opgrade::select(in, out, count, (size_t)n, true,
                      [=](size_t, const auto& value) { return (bool)predicate(value); });
    });
  }
  template <class In, class Flags, class Out, class Count, class N>
  static cudaError_t Flagged(void* temporary, size_t& bytes, In in, Flags flags, Out out,
                             Count count, N n, OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DevicePartition", (size_t)n / 64).run([=] {
      opgrade::select(in, out, count, (size_t)n, true,
                      [=](size_t i, const auto&) { return (bool)flags[i]; });
    });
  }
};

struct DeviceRunLengthEncode {
  template <class In, class Unique, class Lengths, class Runs, class N>
  static cudaError_t Encode(void* temporary, size_t& bytes, In in, Unique unique, Lengths lengths,
                            Runs runs, N n, OPGRADE_STREAM_AND_SITE) {
    return OPGRADE_CALL("cub::DeviceRunLengthEncode", (size_t)n / 64).run([=] {
      size_t run = 0;
      for (size_t begin = 0, end; begin < (size_t)n; begin = end, ++run) {
        const opgrade::ValueOf<In> value = in[begin];
        for (end = begin + 1; end < (size_t)n && in[end] == value;) ++end;
        unique[run] = value;
        lengths[run] = end - begin;
      }
      *runs = run;
    });
  }
};

}  // namespace cub
