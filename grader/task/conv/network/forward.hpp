/// Runs the layers of a network between its convolutions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grader/task/conv/data/weights.hpp"
#include "grader/task/conv/network/network.hpp"

namespace opgrade {

/// Runs layers [first_layer, last_layer), none of them a convolution: between two convolutions
/// (conv_layers() names them), or from the last one to the logits (Network::logits_end()).
///
/// `in` is B,shapes[first_layer] and `out` is B,shapes[last_layer], row-major float32, with
/// B = images; they must not overlap. `weights` must have the layout of weight_layout(). Each
/// image's values depend on that image alone, so a batch may be done in parts. Uses up to `threads`
/// threads, 0 for all processors. Throws Error: a convolution in the range, a span of the wrong
/// size.
///
/// ReLU and max pooling drop NaN, as in the course's own programs; a check for NaN has to look at
/// the convolution's output itself.
void forward_layers(const Network& network, const Weights& weights, int first_layer, int last_layer,
                    int images, std::span<const float> in, std::span<float> out, int threads = 0);

/// The class with the largest logit of each image; the first one if several are equal. An image
/// with a NaN among its logits gets -1, which equals no label. `logits` is B,classes.
std::vector<int> predictions(std::span<const float> logits, int classes);

/// Number of images whose prediction is their label. `logits` is B,classes with B = labels.size().
/// Throws Error if the sizes do not match.
std::int64_t count_correct(std::span<const float> logits, std::span<const std::uint8_t> labels);

}  // namespace opgrade
