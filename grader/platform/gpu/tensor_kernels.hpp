/// Sign flips and sums of a tensor on the device. All kernels run in the default stream;
/// cudaGetLastError() reports a failed launch.
#pragma once

#include <cstdint>

namespace opgrade {

/// to = from with the signs of `seed` (core/sign_flips.hpp).
void launch_turn_signs(float* to, const float* from, long long count, std::uint64_t seed);

/// Adds the keyed sum of values (core/keyed_sum.hpp) to *sum.
void launch_keyed_sum(const float* values, long long count, std::uint64_t key,
                      unsigned long long* sum);

}  // namespace opgrade
