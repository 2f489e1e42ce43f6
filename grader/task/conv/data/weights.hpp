/// Trained weights of a network, and their HDF5 files.
///
/// File: one group per layer. Its datasets are `weights` (M,C,K,K of a convolution, out,in of a
/// fully connected layer) and, for fully connected layers, `bias` (out). Each is floating point of
/// any width. To be small it may be int8 with a float32 attribute `scale`: value = scale * q,
/// rounded to float32.
/// Attributes of the file: `network` (the name in its YAML file), `provenance` (the numbers'
/// source, for people) and `sha256`. The hash covers the values of all tensors as little-endian
/// float32, in the order of the network's layers, weights before bias.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade {

struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;  ///< row-major, as many as the product of `shape`
};

struct LayerWeights {
  std::string layer;
  Tensor weights;              ///< M,C,K,K or out,in
  std::optional<Tensor> bias;  ///< out; a convolution never has one, the course does not apply it
};

struct Weights {
  std::string network;               ///< name of the network they were trained for
  std::string provenance;            ///< where the numbers come from
  std::vector<LayerWeights> layers;  ///< in the order of the network

  /// The layer's tensors, or nullptr.
  const LayerWeights* find(std::string_view layer) const;
};

/// The tensors that a network needs for one layer.
struct LayerLayout {
  std::string layer;
  std::vector<std::int64_t> weights;  ///< shape: rank 4 for a convolution, 2 for fully connected
  bool bias = false;                  ///< true: `bias` has the shape weights[0]
};

/// Number of values of a shape. Sizes of a layout are those of a checked network and cannot
/// overflow.
std::int64_t element_count(std::span<const std::int64_t> shape);

/// "4x1x7x7"
std::string shape_text(std::span<const std::int64_t> shape);

/// The checksum described above, as hex.
std::string weights_sha256(const Weights& weights);

/// Throws Error that begins with `where` and names the first layer whose tensors are missing, have
/// another shape or are not finite.
void check_layout(const Weights& weights, std::span<const LayerLayout> layout,
                  const std::string& where);

/// Reads the file for a network called `network` with these layers. Throws Error naming the file
/// and what is wrong: the file is missing, truncated or of another network, a dataset is missing,
/// or a checksum is wrong.
Weights load_weights(const std::filesystem::path& path, const std::string& network,
                     std::span<const LayerLayout> layout);

/// Writes float32 datasets; an existing file is replaced only by a complete one. Throws Error.
void save_weights(const Weights& weights, const std::filesystem::path& path);

}  // namespace opgrade
