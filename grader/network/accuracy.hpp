/// From logits to predictions and accuracy.
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

/// count_correct over the number of images, the course's "Test Accuracy". Throws Error for none.
double accuracy(std::span<const float> logits, std::span<const std::uint8_t> labels);

/// The clarity of each image's prediction: the gap between the two largest logits over the largest
/// absolute logit. A conv output within a small relative tolerance moves logits by about that part
/// of their scale. A gap well above it keeps the prediction. NaN stays NaN. Needs two classes or
/// more.
std::vector<float> top_gaps(std::span<const float> logits, int classes);

}  // namespace opgrade
