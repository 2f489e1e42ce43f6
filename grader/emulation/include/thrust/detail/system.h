// Decides where an algorithm of Thrust runs: by its policy, or without one by its iterators.
#pragma once
#pragma GCC system_header

#include <iterator>
#include <stdexcept>
#include <type_traits>

#include "../../opgrade_emulation/library.hpp"
#include "../functional.h"
#include "../version.h"

namespace thrust {

namespace system {
class system_error : public std::runtime_error {
 public:
  explicit system_error(cudaError_t error)
      : std::runtime_error(cudaGetErrorString(error)), error_(error) {}
  cudaError_t opgrade_error() const { return error_; }

 private:
  cudaError_t error_;
};
namespace cuda {}
}  // namespace system
using system::system_error;

struct host_system_tag {};
struct device_system_tag {};
struct any_system_tag {};  // fits both systems, such as a counting iterator

namespace opgrade {

struct Policy {
  bool on_device;
  cudaStream_t stream;
  bool waits;  // waits for its work, which a stream that is being captured does not allow
};
struct HostPolicy : Policy {
  constexpr HostPolicy() : Policy{false, nullptr, false} {}
};
struct DevicePolicy : Policy {
  constexpr explicit DevicePolicy(cudaStream_t s = nullptr, bool waits_for_it = true)
      : Policy{true, s, waits_for_it} {}
  DevicePolicy on(cudaStream_t s) const { return DevicePolicy(s, waits); }
  /// A policy with an allocator, which is not needed here.
  template <class Allocator>
  DevicePolicy operator()(Allocator&) const {
    return *this;
  }
};

template <class T>
constexpr bool is_policy = std::is_base_of<Policy, T>::value;

struct NoSystem {};  // for types that are no iterators
template <class...>
using Void = void;  // std::void_t is C++17's
template <class T, class = void>
struct has_system : std::false_type {};
template <class T>
struct has_system<T, Void<typename T::opgrade_system>> : std::true_type {};
template <class T, class = void>
struct is_iterator : std::false_type {};
template <class T>
struct is_iterator<T, Void<typename std::iterator_traits<T>::iterator_category>> : std::true_type {
};

template <class T>
constexpr auto system_of() {
  if constexpr (has_system<T>::value) {
    return typename T::opgrade_system();
  } else if constexpr (std::is_pointer<T>::value &&
                       std::is_function<typename std::remove_pointer<T>::type>::value) {
    return NoSystem();
  } else if constexpr (is_iterator<T>::value) {
    return host_system_tag();
  } else {
    return NoSystem();
  }
}
template <class T, class System>
constexpr bool is_of = std::is_same<decltype(system_of<T>()), System>::value;

/// True if an algorithm without a policy runs on the device: it has an iterator of the device, or
/// none of the host.
template <class... A>
constexpr bool run_on_device = (is_of<A, device_system_tag> || ...) ||
                               !(is_of<A, host_system_tag> || ...);
template <class... A>
using CommonSystem = typename std::conditional<
    (is_of<A, device_system_tag> || ...), device_system_tag,
    typename std::conditional<(is_of<A, host_system_tag> || ...), host_system_tag,
                              any_system_tag>::type>::type;

template <class It>
using ValueOf = typename std::iterator_traits<It>::value_type;

/// Converts a device iterator to plain pointers, through which device code reaches its elements.
template <class T>
struct Raw {
  static OPGRADE_INLINE T of(const T& value) { return value; }
};
template <class T>
OPGRADE_INLINE auto raw(const T& value) {
  return Raw<T>::of(value);
}

inline void throw_on(cudaError_t error) {
  if (error != cudaSuccess) throw system_error(error);
}

/// Runs the body as a kernel; runs it directly on the host and in a kernel.
template <class Body>
OPGRADE_INLINE void run(const char* name, const Policy& policy, Body body) {
  if (!policy.on_device || opgrade_emulation::on_device()) return body();
  opgrade_emulation::Kernel& kernel = opgrade_emulation::library_kernel_here(name);
  const opgrade_emulation::Configuration configuration("", 0, 1, 1, 0, policy.stream);
  if (kernel.begin()) kernel.run(body);
  throw_on(cudaPeekAtLastError());
  if (policy.waits) throw_on(cudaStreamSynchronize(policy.stream));
}

/// Like run(), for a body with a result.
template <class T, class Body>
OPGRADE_INLINE T run_for_value(const char* name, const Policy& policy, Body body) {
  if (!policy.on_device || opgrade_emulation::on_device()) return body();
  opgrade_emulation::Scratch<T> result(1);
  Policy waiting = policy;
  waiting.waits = true;
  run(name, waiting, [to = &result, body] { to->set(0, body()); });
  return result.get(0);
}

}  // namespace opgrade

static constexpr opgrade::HostPolicy host{};
static constexpr opgrade::HostPolicy seq{};
static constexpr opgrade::DevicePolicy device{};
namespace cuda {
static constexpr opgrade::DevicePolicy par{};
static constexpr opgrade::DevicePolicy par_nosync(nullptr, false);
}  // namespace cuda
namespace cpp {
static constexpr opgrade::HostPolicy par{};
}
namespace omp {
static constexpr opgrade::HostPolicy par{};
}

}  // namespace thrust
