/// Signs, sums and squares of a tensor on the device. All run in the default stream;
/// cudaGetLastError() reports a failed launch.
#pragma once

#include <cstdint>

namespace opgrade {

/// to = from with the signs of `seed` (core/sign_flips.hpp).
void launch_turn_signs(float* to, const float* from, long long count, std::uint64_t seed);

/// Adds the keyed sum of values (core/keyed_sum.hpp) to *sum.
void launch_keyed_sum(const float* values, long long count, std::uint64_t key,
                      unsigned long long* sum);

/// sums[image]: the sum of squares of each image's x.
void launch_squares(const float* x, double* sums, int images, long long per_image);

}  // namespace opgrade
