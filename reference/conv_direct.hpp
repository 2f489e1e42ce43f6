/// The truth: forward convolution by its definition, one double sum per output.
#pragma once

#include "reference/conv_shape.hpp"

namespace opgrade {

/// y[b][m][h][w] = sum over c, p, q of x[b][c][h*S + p][w*S + q] * k[m][c][p][q].
///
/// x is B,C,H,W and k is M,C,K,K in float32; y is B,M,H_out,W_out in double. The sum runs over c,
/// then p, then q, from zero. A product of two floats is exact in double, so only the additions
/// round. So |y - exact| <= gamma(C*K*K - 1) * sum |x||k|, gamma(n) = n*u / (1 - n*u), u = 2^-53.
/// Deliberately never optimised: everything else is measured against these loops. Throws
/// std::invalid_argument when the shape is not valid.
void conv_direct(const ConvShape& shape, const float* x, const float* k, double* y);

}  // namespace opgrade
