/// Makes a report's pictures of an output that is a picture.
#pragma once

#include <cstddef>
#include <span>

#include "grader/base/core/grade.hpp"
#include "grader/task/folder/description.hpp"
#include "grader/task/folder/output_check.hpp"

namespace opgrade {

/// Reduces large pictures to at most 128 pixels a side; each shown pixel is the most different one
/// of those that it replaces. Numbers of an `unsigned char` go to 255, others from 0 to 1.
PicturePair show_pictures(const BufferDescription& buffer, const Coordinates& sizes,
                          std::span<const std::byte> got, const Expected& expected);

}  // namespace opgrade
