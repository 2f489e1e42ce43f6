// What a device function returns that reaches its end without a `return`.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

namespace opgrade_emulation {

/// An arbitrary value that no student would have returned: a float is not a number, an
/// integer is far from 0. A bool is false, as in the code that nvcc makes.
struct NoResult {
  template <class T>
  operator T() const {
    if constexpr (std::is_same_v<std::remove_cv_t<T>, bool>) {
      return false;
    } else {
      alignas(T) unsigned char bytes[sizeof(T)];
      std::memset(bytes, std::is_integral_v<T> || std::is_enum_v<T> ? 0xA5 : 0xFF, sizeof bytes);
      return std::move(*reinterpret_cast<T*>(bytes));
    }
  }
};

/// A reference to nothing: a use of it is a fault, as that of a null pointer.
struct NoReference {
  template <class T>
  operator T&() const {
    return *static_cast<T*>(nullptr);
  }
  template <class T>
  operator T&&() const {
    return std::move(*static_cast<T*>(nullptr));
  }
};

}  // namespace opgrade_emulation
