/// Reads the weights file of the course's mini-dnn programs, weights-86.bin.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "grader/task/conv/data/weights.hpp"

namespace opgrade {

/// File: little-endian int32 n_layer, then for each layer int32 count and
/// `count` float32. Layers without parameters have count 0; the others are those of `layout`, in
/// its order. A convolution holds M*C*K*K weights and M biases, which the course loads and never
/// applies: they are dropped. A fully connected layer holds its weights column by column as
/// in,out, which read on is out,in row by row, and then its biases.
///
/// `network` goes into the result. Throws Error naming the file: missing, truncated, bytes left
/// over, counts of another network, numbers that are not finite.
Weights import_minidnn(const std::filesystem::path& path, const std::string& network,
                       std::span<const LayerLayout> layout);

}  // namespace opgrade
