/// The shape of one convolution and the layouts of its tensors.
#pragma once

#include <cstdint>

namespace opgrade {

/// One forward convolution without padding, with the course's letters:
///
///   y[b][m][h][w] = sum over c, p, q of  x[b][c][h*S + p][w*S + q] * k[m][c][p][q]
///
/// Every tensor is dense row-major float32: x is B,C,H,W; k is M,C,K,K; y is B,M,H_out,W_out.
/// Sizes are counted in elements and in 64 bits: a full batch passes 2^31.
struct ConvShape {
  int B = 1;  ///< images in the batch
  int M = 1;  ///< output feature maps
  int C = 1;  ///< input channels
  int H = 1;  ///< input height
  int W = 1;  ///< input width
  int K = 1;  ///< kernel height and width
  int S = 1;  ///< stride; 1 in every term but 2023fa

  constexpr int H_out() const { return (H - K) / S + 1; }
  constexpr int W_out() const { return (W - K) / S + 1; }

  constexpr std::int64_t x_image() const { return std::int64_t{C} * H * W; }
  constexpr std::int64_t y_image() const { return std::int64_t{M} * H_out() * W_out(); }
  constexpr std::int64_t x_size() const { return B * x_image(); }
  constexpr std::int64_t y_size() const { return B * y_image(); }
  constexpr std::int64_t k_size() const { return std::int64_t{M} * C * K * K; }

  /// Multiply-adds times two, the usual count of floating-point operations.
  constexpr double flops() const { return 2.0 * static_cast<double>(y_size()) * C * K * K; }

  constexpr bool valid() const {
    return B >= 1 && M >= 1 && C >= 1 && K >= 1 && S >= 1 && H >= K && W >= K;
  }

  friend constexpr bool operator==(const ConvShape&, const ConvShape&) = default;
};

}  // namespace opgrade
