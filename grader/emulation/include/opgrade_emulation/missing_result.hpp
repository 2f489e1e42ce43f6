// What a device function returns that reaches its end without a `return`.
#pragma once

#include <cstring>
#include <type_traits>

namespace opgrade_emulation {

/// Any value. Its bytes are 0xFF, as are those of an output before a call, so that a program that
/// needs it does not seem to be right; a `bool` is true.
struct NoResult {
  template <class T>
  operator T() const {
    if constexpr (std::is_same_v<T, bool>) {
      return true;
    } else {
      T value;
      std::memset(static_cast<void*>(&value), 0xFF, sizeof value);
      return value;
    }
  }
};

/// A reference to nothing: who uses it has the fault of a null pointer.
struct NoReference {
  template <class T>
  operator T&() const {
    return *static_cast<T*>(nullptr);
  }
};

}  // namespace opgrade_emulation
