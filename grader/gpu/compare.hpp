/// Compares outputs with the double-precision ones, element by element, on the device.
#pragma once

#include "grader/core/conv_shape.hpp"

namespace opgrade {

/// The sums of launch_compare(), over all pieces of a batch.
struct Comparison {
  unsigned long long mismatches = 0;
  unsigned long long first = ~0ULL;  ///< lowest index of a mismatch, all ones when there is none
  unsigned long long worst = 0;      ///< bits of the largest error over its image's scale
  int not_a_number = 0;
};

/// Counts elements of images first .. first + count - 1 for which |y - want| <= bound * scale does
/// not hold. The scale is error_scale() of check/conv_check.hpp; `count` is at most 65535.
///
/// All pointers are device memory. Output y is B,M,H_out,W_out. The arrays want and largest are
/// launch_truth()'s, for these images alone. The array x_squares has the sum of squares of each of
/// the B images; k_rms is the root mean square of k. The kernel runs in the default stream;
/// cudaGetLastError() reports a failed launch.
void launch_compare(const float* y, const double* want, const unsigned long long* largest,
                    const double* x_squares, double k_rms, Comparison* comparison,
                    const ConvShape& shape, int first, int count, double bound);

}  // namespace opgrade
