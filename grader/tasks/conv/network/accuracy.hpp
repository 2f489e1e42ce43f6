/// From logits to predictions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace opgrade {

/// The class with the largest logit of each image, the first of equal ones. An image with a NaN
/// among its logits gets -1, which no label equals. `logits` is B,classes.
std::vector<int> predictions(std::span<const float> logits, int classes);

/// Images whose prediction is their label. `logits` is B,classes with B = labels.size(). Throws
/// Error when the sizes do not go together.
std::int64_t count_correct(std::span<const float> logits, std::span<const std::uint8_t> labels);

}  // namespace opgrade
