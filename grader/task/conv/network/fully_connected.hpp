/// The fully connected layer: y = x * W^T + bias.
#pragma once

#include <cstdint>

namespace opgrade {

/// Meant for a few dozen images. x is images,in; weights is out,in; bias is out; y is images,out;
/// all row-major. Sums have the same order of additions on every processor, in pieces that are
/// added in double precision. A result depends neither on the machine nor on the other images.
void fully_connected(const float* x, int images, std::int64_t in, const float* weights,
                     const float* bias, int out, float* y);

}  // namespace opgrade
