/// A buffer of a computation: the bytes of its elements, and their type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "grader/base/core/element_type.hpp"

namespace opgrade {

/// The id of a C++ type; bytes are unsigned numbers.
template <class T>
constexpr ElementType::Id element_id() {
  using Plain = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<Plain, float>) return ElementType::Id::f32;
  if constexpr (std::is_same_v<Plain, double>) return ElementType::Id::f64;
  if constexpr (std::is_same_v<Plain, std::int32_t>) return ElementType::Id::i32;
  if constexpr (std::is_same_v<Plain, std::uint8_t> || std::is_same_v<Plain, std::byte>)
    return ElementType::Id::u8;
}

/// The number and type of elements. A number alone means floats.
struct BufferSize {
  BufferSize(std::int64_t count, ElementType::Id of = ElementType::Id::f32)
      : elements(count), type(of) {}

  std::int64_t elements;
  ElementType::Id type;

  std::size_t bytes() const {
    return static_cast<std::size_t>(elements) * element_type(type).bytes;
  }
  bool operator==(const BufferSize&) const = default;
};

/// A view of bytes that are aligned for their type.
class TypedBytes {
 public:
  TypedBytes(std::span<std::byte> bytes, ElementType::Id type) : bytes_(bytes), type_(type) {}
  template <class T>
  TypedBytes(std::span<T> elements)
      : bytes_(std::as_writable_bytes(elements)), type_(element_id<T>()) {}
  template <class T>
  TypedBytes(std::vector<T>& elements) : TypedBytes(std::span<T>(elements)) {}

  std::span<std::byte> bytes() const { return bytes_; }
  ElementType::Id type() const { return type_; }

  /// The elements. Throws std::logic_error if they have another type.
  template <class T>
  std::span<T> as() const {
    if (element_id<T>() != type_)
      throw std::logic_error("the elements of a buffer are read as another type");
    return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }

 private:
  std::span<std::byte> bytes_;
  ElementType::Id type_;
};

}  // namespace opgrade
