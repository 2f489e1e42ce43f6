/// Makes the pictures of a report of an output that is one.
#pragma once

#include <cstddef>
#include <span>

#include "grader/base/core/grade.hpp"
#include "grader/task/folder/description.hpp"
#include "grader/task/folder/output_check.hpp"

namespace opgrade {

/// Large ones are made smaller, to at most 128 pixels a side: of the pixels that become one, that
/// which differs most is shown. Numbers of an `unsigned char` go to 255, others from 0 to 1.
PicturePair show_pictures(const BufferDescription& buffer, const Coordinates& sizes,
                          std::span<const std::byte> got, const Expected& expected);

}  // namespace opgrade
