/// Convolutions that no submission was tuned for.
#pragma once

#include <random>
#include <vector>

#include "grader/task/conv/network/network.hpp"
#include "reference/conv_shape.hpp"

namespace opgrade {

/// The kinds cover the space; only sizes within each are drawn. They are a single image and prime
/// batches, wide and tall images, one map, more maps than a warp has threads, one channel. K is 1,
/// 3, 5 and 7. Outputs have one element, are smaller than a tile, or lie just below, just above and
/// at whole tiles of 8, 16 and 32. Eight shapes have all of that; more are drawn. All are small:
/// some ms in plain loops. Stride 1, or from 1 to 4 with `strides`.
std::vector<ConvShape> random_shapes(int count, std::mt19937_64& random, bool strides = false);

/// Each of `layers` in turn: a batch of 1, an odd prime below 8, a prime above, and a large prime.
/// The large one is the largest that keeps a call below `flops`, and at most 1499. Further ones are
/// drawn below that.
std::vector<ConvLayer> random_batches(const std::vector<ConvLayer>& layers, int count, double flops,
                                      std::mt19937_64& random);

}  // namespace opgrade
