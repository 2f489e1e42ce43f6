/// Max pooling of one map.
#pragma once

#include <span>

namespace opgrade {

/// A map of H,W pooled to H_out,W_out by windows of `window` every `stride`; windows that reach
/// beyond the map are cut at its edge.
struct PoolShape {
  int H = 0, W = 0, window = 0, stride = 0, H_out = 0, W_out = 0;
};

/// `in` is H,W and `out` is H_out,W_out, row-major. `row` is working space for W floats. A NaN
/// loses every comparison.
void maxpool_map(const PoolShape& shape, const float* in, float* out, std::span<float> row);

}  // namespace opgrade
