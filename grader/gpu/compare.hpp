/// Outputs against the double-precision ones, element by element, on the device.
#pragma once

#include "grader/core/conv_shape.hpp"

namespace opgrade {

/// What launch_compare() adds to, over all pieces of a batch.
struct Comparison {
  unsigned long long mismatches = 0;
  unsigned long long first = ~0ULL;  ///< lowest index of a mismatch, all ones when there is none
  unsigned long long worst = 0;      ///< bits of the largest error over its image's scale
  int not_a_number = 0;
};

/// For images first .. first + count - 1 of the batch, of which at most 65535 at a time: whether
/// |y - want| <= bound * scale, where scale is error_scale() of check/conv_check.hpp.
///
/// All pointers are device memory. y is B,M,H_out,W_out; want and largest are launch_truth()'s, for
/// these images alone; x_squares has the sum of squares of each of the B images; k_rms is the root
/// mean square of k. Runs in the default stream; a failed launch is cudaGetLastError()'s to tell.
void launch_compare(const float* y, const double* want, const unsigned long long* largest,
                    const double* x_squares, double k_rms, Comparison* comparison,
                    const ConvShape& shape, int first, int count, double bound);

}  // namespace opgrade
