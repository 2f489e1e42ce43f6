/// A network's convolutions at batches that no submission was tuned for.
#pragma once

#include <random>
#include <vector>

#include "grader/tasks/conv/network/network.hpp"

namespace opgrade {

/// Each of `layers` in turn: a batch of 1, an odd prime below 8, a prime above, and a large prime.
/// The large one is the largest that keeps a call below `flops`, and at most 1499. Further ones are
/// drawn below that.
std::vector<ConvLayer> random_batches(const std::vector<ConvLayer>& layers, int count, double flops,
                                      std::mt19937_64& random);

}  // namespace opgrade
