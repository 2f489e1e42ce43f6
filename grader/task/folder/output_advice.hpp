/// Describes what the wrong elements of an output have in common, in the task's own coordinates.
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

/// The pattern that fills an output before a call.
using Poison = std::array<std::byte, 8>;

struct WrongOutput {
  const BufferDescription& buffer;
  const std::string& name;  ///< name of the buffer that holds the result
  std::span<const std::byte> got;
  std::span<const std::byte> before;  ///< an inout's values from before the call
  Poison poison;
  const Expected& expected;
  std::int64_t count;    ///< number of elements that have a defined value
  std::int64_t element;  ///< the first wrong one
  double tolerance;
  const Coordinates& sizes;
  std::string suffix{};  ///< for a field of the output's structs: ".x"
};

Hint advice_on(const WrongOutput& output);

}  // namespace opgrade
