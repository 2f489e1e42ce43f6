/// Convolutions that no submission was tuned for.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "grader/core/conv_shape.hpp"

namespace opgrade {

/// The first ones cover the corners (a single image, a prime batch, H != W, K of 1, 3, 5 and 7, one
/// map, one channel, an output of one element); the rest is drawn. All are small: some ms in
/// plain loops. Stride 1, or from 1 to 4 with `strides`.
std::vector<ConvShape> random_shapes(int count, std::mt19937_64& random, bool strides = false);

/// Values in [-1, 1) with a few large and tiny ones, so that reduced precision shows.
void fill_random(std::span<float> values, std::mt19937_64& random);

}  // namespace opgrade
