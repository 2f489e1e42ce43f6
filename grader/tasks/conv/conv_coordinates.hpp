/// A convolution's sizes and places in its output, as reports and configs name them.
#pragma once

#include <cstdint>

#include "grader/core/coordinates.hpp"
#include "reference/conv_shape.hpp"

namespace opgrade {

/// B, M, C, H, W, K and S.
Coordinates sizes_of(const ConvShape& shape);

/// The shape of these sizes; one that is missing is 1.
ConvShape shape_of(const Coordinates& sizes);

/// b, m, h and w of element `index` of y; all 0 for a negative index.
Coordinates place_in_y(const ConvShape& shape, std::int64_t index);

}  // namespace opgrade
