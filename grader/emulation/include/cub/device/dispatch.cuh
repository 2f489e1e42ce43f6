// What CUB's device-wide functions have in common.
#pragma once
#pragma GCC system_header

#include <iterator>

#include "../util_type.cuh"

// In the order of CUB; the flag for debugging is one of older releases.
#define OPGRADE_STREAM_AND_SITE cudaStream_t stream = nullptr, bool = false, OPGRADE_CALL_SITE
#define OPGRADE_CALL(name, needed) \
  opgrade::Call { name, temporary, bytes, needed, stream, opgrade_file, opgrade_line }

namespace cub {
namespace opgrade {

template <class It>
using ValueOf = typename std::iterator_traits<It>::value_type;

/// The first of two calls, without memory, asks how much the second one needs.
struct Call {
  const char* name;
  void* memory;
  size_t& bytes;
  size_t needed;
  cudaStream_t stream;
  const char* file;
  int line;

  template <class Body>
  cudaError_t run(Body body) const {
    const size_t all = needed + 767;
    if (memory == nullptr) {
      bytes = all;
      return cudaSuccess;
    }
    if (bytes < all) return cudaErrorInvalidValue;
    auto* const used = (unsigned char*)memory;
    return opgrade_emulation::run_library(name, file, line, stream, [=] {
      // CUB uses the memory that it asked for.
      used[0] = used[all - 1] = 0;
      body();
    });
  }
};

/// The result of the operator for values of the input, which CUB adds up in.
template <class Op, class Initial, class In>
using SumOf = typename std::decay<decltype(std::declval<Op&>()(std::declval<Initial>(),
                                                               std::declval<ValueOf<In>>()))>::type;

/// What a sum begins with: a value of the output, unless that takes any.
template <class In, class Out>
using StartOf =
    typename std::conditional<std::is_void<ValueOf<Out>>::value, ValueOf<In>, ValueOf<Out>>::type;

}  // namespace opgrade
}  // namespace cub
