// Stands in for Thrust's copies, also between host and device.
#pragma once
#pragma GCC system_header

#include <vector>

#include "algorithm.h"

namespace thrust {
namespace opgrade {

/// Device memory for one copy.
template <class T>
class Buffer {
 public:
  OPGRADE_INLINE explicit Buffer(size_t n) {
    throw_on(cudaMalloc(&memory_, (n > 0 ? n : 1) * sizeof(T)));
  }
  OPGRADE_INLINE ~Buffer() { cudaFree(memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* get() const { return memory_; }

 private:
  T* memory_ = nullptr;
};

template <class A, class B>
constexpr bool are_plain = std::is_pointer<A>::value&& std::is_pointer<B>::value&&
    std::is_same<typename std::remove_cv<typename std::remove_pointer<A>::type>::type,
                 typename std::remove_pointer<B>::type>::value;

template <class It, class Out>
OPGRADE_INLINE Out copy_to_host(It first, size_t n, Out out) {
  using T = ValueOf<It>;
  const auto from = raw(first);
  if constexpr (are_plain<decltype(from), Out>) {
    throw_on(cudaMemcpy(out, from, n * sizeof(T), cudaMemcpyDeviceToHost));
    return out + n;
  } else {
    const Buffer<T> buffer(n);
    call<bodies::copy>("thrust::copy", DevicePolicy(), first, first + (ptrdiff_t)n, buffer.get());
    char* const bytes = new char[n * sizeof(T) + 1];
    throw_on(cudaMemcpy(bytes, buffer.get(), n * sizeof(T), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; ++i) {
      *out = ((const T*)(void*)bytes)[i];
      ++out;
    }
    delete[] bytes;
    return out;
  }
}
template <class It, class Out>
OPGRADE_INLINE Out copy_to_device(It first, size_t n, Out out) {
  using T = ValueOf<Out>;
  const auto to = raw(out);
  if constexpr (are_plain<It, typename std::remove_cv<decltype(to)>::type>) {
    throw_on(cudaMemcpy((void*)to, first, n * sizeof(T), cudaMemcpyHostToDevice));
  } else {
    char* const bytes = new char[n * sizeof(T) + 1];
    for (size_t i = 0; i < n; ++i, ++first) ((T*)(void*)bytes)[i] = (T)*first;
    const Buffer<T> buffer(n);
    throw_on(cudaMemcpy(buffer.get(), bytes, n * sizeof(T), cudaMemcpyHostToDevice));
    delete[] bytes;
    call<bodies::copy>("thrust::copy", DevicePolicy(), buffer.get(), buffer.get() + n, out);
  }
  return out + (ptrdiff_t)n;
}
template <class It, class Out>
OPGRADE_INLINE Out copy_n_between(It first, size_t n, Out out) {
  if constexpr (is_of<It, device_system_tag> && is_of<Out, host_system_tag>) {
    return copy_to_host(first, n, out);
  } else if constexpr (is_of<It, host_system_tag> && is_of<Out, device_system_tag>) {
    return copy_to_device(first, n, out);
  } else if constexpr (run_on_device<It, Out>) {
    call<bodies::copy>("thrust::copy", policy_of<It, Out>(), first, first + (ptrdiff_t)n, out);
    return out + (ptrdiff_t)n;
  } else {
    for (size_t i = 0; i < n; ++i, ++first, ++out) *out = *first;
    return out;
  }
}

}  // namespace opgrade

template <class It, class Out>
OPGRADE_INLINE Out copy(It first, It last, Out out) {
  return opgrade::copy_n_between(first, (size_t)std::distance(first, last), out);
}
template <class P, class It, class Out>
OPGRADE_INLINE Out copy(const P& policy, It first, It last, Out out) {
  opgrade::call<opgrade::bodies::copy>("thrust::copy", policy, first, last, out);
  return out + (last - first);
}
template <class It, class N, class Out>
OPGRADE_INLINE Out copy_n(It first, N n, Out out) {
  return opgrade::copy_n_between(first, (size_t)n, out);
}
template <class P, class It, class N, class Out>
OPGRADE_INLINE Out copy_n(const P& policy, It first, N n, Out out) {
  opgrade::call<opgrade::bodies::copy>("thrust::copy_n", policy, first, first + (ptrdiff_t)n, out);
  return out + (ptrdiff_t)n;
}

}  // namespace thrust
