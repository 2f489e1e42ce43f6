/// Compares outputs on the device, element by element, with the double-precision outputs.
#pragma once

#include <cstdint>

namespace opgrade {

/// The sums of launch_compare(), over all parts.
struct Comparison {
  unsigned long long mismatches = 0;
  unsigned long long first = ~0ULL;  ///< lowest index of a mismatch; all ones if there is none
  unsigned long long worst = 0;      ///< bits of the largest error over its part's scale
  int not_a_number = 0;
};

/// Counts elements of parts first .. first + count - 1 for which |y - want| <= bound * scale does
/// not hold. A part's scale is the larger of its largest |want| and its least scale; `count` is at
/// most 65535.
///
/// All pointers are device memory. Each part has `per_part` elements. y and least_scales hold all
/// parts; want and largest (DeviceTruth::compute) hold only the parts of the call. The kernel runs
/// in the default stream; cudaGetLastError() reports a failed launch.
void launch_compare(const float* y, const double* want, const unsigned long long* largest,
                    const double* least_scales, Comparison* comparison, std::int64_t per_part,
                    int first, int count, double bound);

}  // namespace opgrade
