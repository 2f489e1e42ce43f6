#include "grader/task/conv/network/network.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace opgrade {
namespace {

constexpr std::array<std::string_view, 7> kKindNames{"conv",    "relu", "tanh",   "maxpool",
                                                     "flatten", "fc",   "softmax"};

// Far above every network of the course, and small enough that no product below overflows.
constexpr std::int64_t kMaxValues = std::int64_t{1} << 28;  // per image, and per weights tensor

Error misfit(const NetworkLayer& layer, const std::string& what) {
  return Error(fmt::format("layer {}: {}", layer.name, what));
}

Result<Shape> conv_shape(const NetworkLayer& layer, const Shape& in) {
  if (!(layer.maps >= 1 && layer.kernel >= 1 && layer.stride >= 1)) {
    return tl::unexpected(misfit(layer, "maps, kernel and stride are at least 1"));
  }
  if (!(layer.kernel <= in.height && layer.kernel <= in.width)) {
    return tl::unexpected(misfit(layer, fmt::format("a {0}x{0} kernel does not fit a {1}x{2} map",
                                                    layer.kernel, in.height, in.width)));
  }
  if (std::int64_t{in.channels} * layer.kernel * layer.kernel > kMaxValues / layer.maps) {
    return tl::unexpected(misfit(layer, "too many weights"));
  }
  return Shape{layer.maps, (in.height - layer.kernel) / layer.stride + 1,
               (in.width - layer.kernel) / layer.stride + 1};
}

int pooled(int n, const NetworkLayer& layer) {
  const int steps = n - layer.window;
  const int whole = steps / layer.stride;
  const bool partial = layer.ceil && steps % layer.stride != 0;
  return whole + (partial ? 1 : 0) + 1;
}

Result<Shape> pool_shape(const NetworkLayer& layer, const Shape& in) {
  if (!(layer.window >= 1 && layer.stride >= 1)) {
    return tl::unexpected(misfit(layer, "window and stride are at least 1"));
  }
  if (!(layer.window <= in.height && layer.window <= in.width)) {
    return tl::unexpected(misfit(layer, fmt::format("a {0}x{0} window does not fit a {1}x{2} map",
                                                    layer.window, in.height, in.width)));
  }
  const Shape out{in.channels, pooled(in.height, layer), pooled(in.width, layer)};
  if (!((out.height - 1) * std::int64_t{layer.stride} < in.height &&
        (out.width - 1) * std::int64_t{layer.stride} < in.width)) {
    return tl::unexpected(misfit(layer, "the last window would lie outside the map"));
  }
  return out;
}

Result<Shape> fc_shape(const NetworkLayer& layer, const Shape& in) {
  if (!(layer.outputs >= 1)) return tl::unexpected(misfit(layer, "outputs is at least 1"));
  if (!in.flat()) {
    return tl::unexpected(misfit(layer, fmt::format("its input is {}x{}x{}; put flatten before it",
                                                    in.channels, in.height, in.width)));
  }
  if (in.size() > kMaxValues / layer.outputs) {
    return tl::unexpected(misfit(layer, "too many weights"));
  }
  return Shape{layer.outputs, 1, 1};
}

Result<Shape> shape_after(const NetworkLayer& layer, const Shape& in) {
  switch (layer.kind) {
    case LayerKind::conv:
      return conv_shape(layer, in);
    case LayerKind::maxpool:
      return pool_shape(layer, in);
    case LayerKind::fc:
      return fc_shape(layer, in);
    case LayerKind::flatten:
      return Shape{static_cast<int>(in.size()), 1, 1};
    case LayerKind::softmax:
      if (!in.flat()) return tl::unexpected(misfit(layer, "put flatten before softmax"));
      return in;
    case LayerKind::relu:
    case LayerKind::tanh:
      return in;
  }
  return tl::unexpected(misfit(layer, "unknown kind"));
}

}  // namespace

std::string_view name_of(LayerKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

int Network::logits_end() const {
  const int count = static_cast<int>(layers.size());
  return count > 0 && layers.back().kind == LayerKind::softmax ? count - 1 : count;
}

Result<Shape> output_shape(const NetworkLayer& layer, const Shape& in) {
  const Result<Shape> out = shape_after(layer, in);
  if (out && !(std::int64_t{out->channels} * out->height <= kMaxValues / out->width)) {
    return tl::unexpected(misfit(layer, "too many values"));
  }
  return out;
}

Network make_network(std::string name, Shape input, std::vector<NetworkLayer> layers) {
  if (!(input.channels >= 1 && input.height >= 1 && input.width >= 1) ||
      !(std::int64_t{input.channels} * input.height <= kMaxValues / input.width)) {
    throw Error(fmt::format("network {}: an input of {}x{}x{} is not possible", name,
                            input.channels, input.height, input.width));
  }
  Network network{std::move(name), std::move(layers), {input}};
  std::map<LayerKind, int> seen;
  for (NetworkLayer& layer : network.layers) {
    const int number = ++seen[layer.kind];
    if (layer.name.empty()) layer.name = fmt::format("{}{}", name_of(layer.kind), number);
    const Result<Shape> out = output_shape(layer, network.shapes.back());
    if (!out) {
      throw Error(fmt::format("network {}: {}", network.name, out.error().what()),
                  "correct the layer or the one before it");
    }
    network.shapes.push_back(*out);
  }
  return network;
}

std::vector<ConvLayer> conv_layers(const Network& network, int B) {
  std::vector<ConvLayer> list;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const NetworkLayer& layer = network.layers[i];
    if (layer.kind != LayerKind::conv) continue;
    const Shape& in = network.shapes[i];
    list.push_back({static_cast<int>(i), layer.name,
                    ConvShape{.B = B,
                              .M = layer.maps,
                              .C = in.channels,
                              .H = in.height,
                              .W = in.width,
                              .K = layer.kernel,
                              .S = layer.stride}});
  }
  return list;
}

std::vector<LayerLayout> weight_layout(const Network& network) {
  std::vector<LayerLayout> list;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const NetworkLayer& layer = network.layers[i];
    const Shape& in = network.shapes[i];
    if (layer.kind == LayerKind::conv) {
      list.push_back({layer.name, {layer.maps, in.channels, layer.kernel, layer.kernel}, false});
    } else if (layer.kind == LayerKind::fc) {
      list.push_back({layer.name, {layer.outputs, in.size()}, true});
    }
  }
  return list;
}

Weights load_weights_for(const Network& network, const std::filesystem::path& path) {
  return load_weights(path, network.name, weight_layout(network));
}

}  // namespace opgrade
