/// The double-precision convolution that the referee compares outputs with, on the device.
#pragma once

#include "grader/core/conv_shape.hpp"
#include "grader/gpu/truth_plan.hpp"

namespace opgrade {

/// The number of images of a batch that `want` holds at a time. At most 512 MiB of it, and at most
/// the blocks of a grid; at least one image.
int truth_images_at_a_time(const ConvShape& shape);

/// Works on images first .. first + count - 1 of the batch. Gives want[image - first][m][h][w] in
/// double, and largest[image - first] raised to the bits of the image's largest |want|.
/// (Non-negative doubles order as integers.)
///
/// All is device memory: x is B,C,H,W, k is M,C,K,K, want is count,M,H_out,W_out. `largest` must
/// have been set before, to zeros. Products are exact, sums in double in an order of the kernel's
/// own. Runs in the default stream; cudaGetLastError() reports a failed launch.
void launch_truth(const TruthPlan& plan, const float* x, const float* k, double* want,
                  unsigned long long* largest, const ConvShape& shape, int first, int count);

}  // namespace opgrade
