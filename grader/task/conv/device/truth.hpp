/// The double-precision convolution on the device, with which the referee compares outputs.
#pragma once

#include "grader/task/conv/device/truth_plan.hpp"
#include "reference/conv_shape.hpp"

namespace opgrade {

/// Number of images that `want` holds at a time: at least one, at most as many as fit in 512 MiB,
/// and at most as many as a grid has blocks.
int truth_images_at_a_time(const ConvShape& shape);

/// Computes want[image - first][m][h][w] in double for images first .. first + count - 1 of the
/// batch. Raises largest[image - first] to the bits of the image's largest |want|: non-negative
/// doubles order as integers.
///
/// All pointers are device memory: x is B,C,H,W; k is M,C,K,K; want is count,M,H_out,W_out. The
/// caller sets `largest` to zeros first. Products are exact; sums are in double, in the kernel's
/// order. The kernel runs in the default stream; cudaGetLastError() reports a failed launch.
void launch_truth(const TruthPlan& plan, const float* x, const float* k, double* want,
                  unsigned long long* largest, const ConvShape& shape, int first, int count);

}  // namespace opgrade
