/// A convolution's sizes and the positions in its output, as reports and configs name them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "grader/base/core/coordinates.hpp"
#include "reference/conv_shape.hpp"

namespace opgrade {

/// The sizes B, M, C, H, W, K and S.
inline Coordinates sizes_of(const ConvShape& s) {
  return {{"B", s.B}, {"M", s.M}, {"C", s.C}, {"H", s.H}, {"W", s.W}, {"K", s.K}, {"S", s.S}};
}

/// The shape of these sizes; a missing size is 1.
inline ConvShape shape_of(const Coordinates& sizes) {
  const auto size = [&](const char* name) {
    return static_cast<int>(std::max<std::int64_t>(value_of(sizes, name), 1));
  };
  return {.B = size("B"),
          .M = size("M"),
          .C = size("C"),
          .H = size("H"),
          .W = size("W"),
          .K = size("K"),
          .S = size("S")};
}

/// The coordinates b, m, h and w of element `index` of y; all 0 for a negative index.
inline Coordinates place_in_y(const ConvShape& s, std::int64_t index) {
  std::int64_t rest = std::max<std::int64_t>(index, 0);
  const std::int64_t w = rest % s.W_out();
  const std::int64_t h = (rest /= s.W_out()) % s.H_out();
  const std::int64_t m = (rest /= s.H_out()) % s.M;
  return {{"b", rest / s.M}, {"m", m}, {"h", h}, {"w", w}};
}

}  // namespace opgrade
