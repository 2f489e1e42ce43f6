/// What the wrong elements of an output have in common, in the task's own coordinates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "grader/base/core/coordinates.hpp"
#include "grader/base/core/grade.hpp"
#include "grader/task/folder/output_check.hpp"

namespace opgrade {

/// What an output without content holds before a call, again and again.
using Poison = std::array<std::byte, 8>;

struct WrongOutput {
  const BufferDescription& buffer;
  const std::string& name;  ///< of the buffer that holds the result
  std::span<const std::byte> got;
  std::span<const std::byte> before;  ///< of an inout
  Poison poison;
  const Expected& expected;
  std::int64_t count;    ///< elements that are defined
  std::int64_t element;  ///< the first wrong one
  double tolerance;
  const Coordinates& sizes;
  std::string suffix{};  ///< ".x" for that field of its structs
};

Hint advice_on(const WrongOutput& output);

}  // namespace opgrade
