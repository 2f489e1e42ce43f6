/// The double-precision truth on the device, inputs for it, and the comparison of a result with it.
///
/// gpu/compare.hpp is another comparison: a verdict by image, of B,M,H_out,W_out in float32 alone.
#pragma once

#include <cstdint>

#include "kernels/bench/device.hpp"

namespace opgrade::kernels {

/// The content of the tensors. All but `pixels` are reals with a full 24-bit significand.
enum class Data {
  reals,   ///< uniform in [-1, 1)
  pixels,  ///< whole numbers 0..255, as the course's images
  tiny,    ///< uniform, times 2^-100
  huge,    ///< uniform, times 2^80
  wide,    ///< magnitudes spread evenly over 2^-20..1
};

/// Fills `count` floats; the same seed gives the same numbers on any device.
void fill(float* d_to, std::int64_t count, Data data, std::uint32_t seed, cudaStream_t stream);

/// Every output in double by the grader's reference (task/conv/device/truth.hpp): y is
/// B,M,H_out,W_out, on the device.
void truth(const float* d_x, const float* d_k, double* d_y, const ConvShape& shape);

/// How far a result is from the truth.
struct Difference {
  double worst = 0;         ///< largest |y - truth|
  double largest = 0;       ///< largest |truth|
  std::int64_t broken = 0;  ///< outputs that are NaN or infinite, so also those never written
  double relative() const { return largest > 0 ? worst / largest : worst; }
  /// False for anything broken and for NaN.
  bool within(double allowed) const { return broken == 0 && relative() <= allowed; }
};

/// `channels_last`: y is B,H_out,W_out,M while the truth stays B,M,H_out,W_out. Waits for the end.
Difference compare(const float* d_y, const double* d_truth, const ConvShape& shape,
                   bool channels_last = false);

/// to[b][h][w][c] = from[b][c][h][w] for any rank-4 tensor of those sizes.
void to_channels_last(const float* d_from, float* d_to, int b, int c, int h, int w);

void to_half(const float* d_from, void* d_to, std::int64_t count);
void from_half(const void* d_from, float* d_to, std::int64_t count);

}  // namespace opgrade::kernels
