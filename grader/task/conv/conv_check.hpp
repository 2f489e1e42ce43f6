/// Compares a convolution's output with the double-precision reference.
#pragma once

#include <span>

#include "grader/base/core/grade.hpp"
#include "reference/conv_fast.hpp"
#include "reference/conv_shape.hpp"

namespace opgrade {

/// The tensors of a convolution: x B,C,H,W and y B,M,H_out,W_out as in ConvShape.
struct ConvOutput {
  ConvShape shape;
  std::span<const float> x;
  std::span<const float> y;
  std::span<const float> k;  ///< M,C,K,K; gives the scale of sums that cancel, see error_scale
};

/// The unit of an image's errors: its largest |y|, but at least the floor. The floor is sqrt(C K K)
/// times the root mean squares of the image's x and of k: the usual size of a sum of C K K such
/// products with random signs. Without the floor, an image with few outputs whose sums cancel would
/// fail because of rounding.
double error_scale(double largest_y, const ConvShape& shape, double x_rms, double k_rms);

/// The largest error allowed, relative to error_scale: `tolerance` times sqrt(C K K). Independent
/// rounding errors of n = C K K float32 products and sums grow like sqrt(n) times the unit roundoff
/// 6e-8. Arithmetic in TF32 or FP16 (roundoff 4.9e-4) exceeds 1e-6 sqrt(n).
double relative_bound(const ConvShape& shape, double tolerance);

/// Checks every element of the given images, or of all images if `images` is empty. Runs on up to
/// `threads` threads. An element passes only if its error is within the bound: NaN fails.
/// `reference` must have been made for this shape and the weights used.
CheckReport check_conv(const FastConv<double>& reference, const ConvOutput& output,
                       double tolerance, std::span<const int> images, int threads);

}  // namespace opgrade
