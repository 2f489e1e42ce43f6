// The common part of CUB's device-wide functions.
#pragma once
#pragma GCC system_header

#include <iterator>

#include "../util_type.cuh"

// Parameters in CUB's order; the flag for debugging belongs to older releases.
#define OPGRADE_STREAM_AND_SITE cudaStream_t stream = nullptr, bool = false, OPGRADE_CALL_SITE
#define OPGRADE_CALL(name, needed) \
  opgrade::Call { name, temporary, bytes, needed, stream, opgrade_file, opgrade_line }

namespace cub {
namespace opgrade {

template <class It>
using ValueOf = typename std::iterator_traits<It>::value_type;

/// One call of a device-wide function. The first of two calls, without memory, returns how much
/// memory the second one needs.
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
      // Writes to the memory that CUB requested, as CUB does.
      used[0] = used[all - 1] = 0;
      body();
    });
  }
};

/// The type of the operator's result for values of the input; CUB adds up in this type.
template <class Op, class Initial, class In>
using SumOf = typename std::decay<decltype(std::declval<Op&>()(std::declval<Initial>(),
                                                               std::declval<ValueOf<In>>()))>::type;

/// The type of a sum's initial value: that of the output, unless the output accepts any type.
template <class In, class Out>
using StartOf =
    typename std::conditional<std::is_void<ValueOf<Out>>::value, ValueOf<In>, ValueOf<Out>>::type;

}  // namespace opgrade
}  // namespace cub
