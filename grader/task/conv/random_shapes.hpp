/// Convolutions for which no submission was tuned.
#pragma once

#include <random>
#include <vector>

#include "grader/task/conv/network/network.hpp"
#include "reference/conv_shape.hpp"

namespace opgrade {

/// The kinds of shapes cover the space; only the sizes within each kind are random. Kinds are a
/// single image, prime batches, wide and tall images, one map, more maps than a warp has threads,
/// and one channel. K is 1, 3, 5 and 7. Outputs have one element, are smaller than a tile, or are
/// just below, just above and exactly whole tiles of 8, 16 and 32. Eight shapes cover all kinds;
/// further ones are random. All are small: plain loops take some ms. The stride is 1, or from 1 to
/// 4 with `strides`.
std::vector<ConvShape> random_shapes(int count, std::mt19937_64& random, bool strides = false);

/// Each of `layers` in turn with a batch of 1, an odd prime below 8, a prime above 8, and a large
/// prime. The large prime is the largest one, at most 1499, for which a call stays below `flops`.
/// Further batches are random numbers below it.
std::vector<ConvLayer> random_batches(const std::vector<ConvLayer>& layers, int count, double flops,
                                      std::mt19937_64& random);

}  // namespace opgrade
