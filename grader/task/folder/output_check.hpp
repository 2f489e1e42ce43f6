/// Compares one output of a task in a folder with the values that its reference computed.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "grader/task/folder/description.hpp"
#include "grader/task/folder/layout.hpp"

namespace opgrade {

/// What the reference computed for one output.
class Expected {
 public:
  /// `bytes` is laid out as ExpectedLayout says.
  Expected(std::span<const std::byte> bytes, const ExpectedSlot& slot, const ElementType& type)
      : bytes_(bytes.data()), slot_(slot), floating_(type.floating) {}

  double real(std::int64_t element) const { return at<double>(slot_.values, element); }
  std::int64_t whole(std::int64_t element) const { return at<std::int64_t>(slot_.values, element); }
  double value(std::int64_t element) const {
    return floating_ ? real(element) : static_cast<double>(whole(element));
  }
  /// The scale of an element's error; NaN if the reference gives none.
  double scale(std::int64_t element) const { return at<double>(slot_.scales, element); }
  bool gives_scale(std::int64_t element) const {
    return scale(element) > 0 && std::isfinite(scale(element));
  }
  /// The largest |value| of the first `count` elements; 1 if all are 0.
  double largest(std::int64_t count, int threads) const;

 private:
  template <class T>
  T at(std::size_t first, std::int64_t element) const {
    T value;
    std::memcpy(&value, bytes_ + (first + static_cast<std::size_t>(element)) * sizeof(T),
                sizeof(T));
    return value;
  }

  const std::byte* bytes_;
  ExpectedSlot slot_;
  bool floating_;
};

struct OutputCheck {
  std::int64_t mismatches = 0;
  std::int64_t first = -1;  ///< element of the first mismatch
  double worst = 0;         ///< largest error, in units of the element's scale
  double got = 0, want = 0;
};

/// Checks the first `count` elements. A NaN equals a NaN, and an infinity itself. Up to
/// `may_differ` mismatches are ignored; for a picture, mismatches and `may_differ` count pixels.
OutputCheck check_output(const BufferDescription& buffer, std::span<const std::byte> got,
                         const Expected& expected, std::int64_t count, double tolerance,
                         std::int64_t may_differ, int threads = 1);

}  // namespace opgrade
