/// The fast CPU convolution of a whole batch on several threads.
#pragma once

#include "reference/conv_shape.hpp"

namespace opgrade {

/// x is B,C,H,W, k is M,C,K,K, y is B,M,H_out,W_out, all dense and not overlapping. Uses `threads`
/// threads (0: one per processor): images in parallel, and parts of images where there are few.
/// Precision as FastConv's. A large y is written past the caches.
void conv_fast(const ConvShape& shape, const float* x, const float* k, float* y, int threads = 0);

/// The same with double sums and a double result.
void conv_fast(const ConvShape& shape, const float* x, const float* k, double* y, int threads = 0);

}  // namespace opgrade
