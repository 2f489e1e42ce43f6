/// A network as data: its layers, the shapes between them and the weights that it needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/task/conv/data/weights.hpp"
#include "reference/conv_shape.hpp"

namespace opgrade {

enum class LayerKind { conv, relu, tanh, maxpool, flatten, fc, softmax };

/// The kind's word in the YAML files: "conv", "relu", ...
std::string_view name_of(LayerKind kind);

/// Values of one image between two layers, row-major channels,height,width. Flattened values are
/// size,1,1.
struct Shape {
  int channels = 0, height = 0, width = 0;

  constexpr std::int64_t size() const { return std::int64_t{channels} * height * width; }
  constexpr bool flat() const { return height == 1 && width == 1; }
  friend constexpr bool operator==(const Shape&, const Shape&) = default;
};

struct NetworkLayer {
  LayerKind kind = LayerKind::relu;
  std::string name{};  ///< conv and fc: the name of the file; others: kind and number, "relu1"
  int maps = 0;        ///< conv: output maps M
  int kernel = 0;      ///< conv: K
  int stride = 1;      ///< conv and maxpool
  int window = 0;      ///< maxpool: height and width of the window
  bool ceil = false;   ///< maxpool: a partial window at the edge counts
  int outputs = 0;     ///< fc
};

/// Made by `make_network` or `load_network`; shapes always agree.
struct Network {
  std::string name;
  std::vector<NetworkLayer> layers;
  std::vector<Shape> shapes;  ///< shapes[i] goes into layers[i], shapes.back() is the output

  const Shape& input() const { return shapes.front(); }
  const Shape& output() const { return shapes.back(); }

  /// Number of layers up to the logits: all but a softmax at the end. Softmax keeps the order of
  /// the values, so predictions do not need it.
  int logits_end() const;
};

/// The shape of the output of `layer` for an input of shape `in`, or an error that says what does
/// not fit.
Result<Shape> output_shape(const NetworkLayer& layer, const Shape& in);

/// Names unnamed layers and infers every shape. Throws Error at the first layer that does not fit.
Network make_network(std::string name, Shape input, std::vector<NetworkLayer> layers);

/// One convolution of a network.
struct ConvLayer {
  int index = 0;  ///< index in Network::layers
  std::string name;
  ConvShape shape;
};

/// The network's convolutions in order, for a batch of B images.
std::vector<ConvLayer> conv_layers(const Network& network, int B);

/// The layout of the weights that the network needs, in the order of its layers.
std::vector<LayerLayout> weight_layout(const Network& network);

/// Calls load_weights (grader/task/conv/data/weights.hpp) for this network.
Weights load_weights_for(const Network& network, const std::filesystem::path& path);

}  // namespace opgrade
