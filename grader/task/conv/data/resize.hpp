/// Resizes images by the course's recipe.
#pragma once

#include <cstdint>
#include <span>

namespace opgrade {

/// The name of the recipe, an attribute of every data set.
inline constexpr const char* kResizeRecipe =
    "bilinear, half-pixel centres, zero outside the image, truncated to uint8";

/// Bilinear interpolation with half-pixel centres, zero outside the image, truncated to uint8, as
/// the course's data were made (skimage.transform.resize with mode 'constant'). Output pixel i of
/// n_out lies at input position
///
///   ((2 i + 1) n_in - n_out) / (2 n_out),
///
/// a rational number, so each value is a whole number of 1 / (2 H_out 2 W_out) and is computed in
/// integers. In floating point many whole values would come out just below or above, depending on
/// compiler and processor. Truncation would make that a different pixel. In integers a data set has
/// the same bytes on every machine.
///
/// `in` is H_in,W_in and `out` is H_out,W_out, both row-major; sides are 1 to 1024.
void resize_image(std::span<const std::uint8_t> in, int H_in, int W_in, std::span<std::uint8_t> out,
                  int H_out, int W_out);

}  // namespace opgrade
