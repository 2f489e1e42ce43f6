#include "grader/task/conv/network/import_mxnet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "grader/base/core/whole_number.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/task/conv/data/mxnet_params.hpp"

namespace opgrade {
namespace {

using nlohmann::json;

constexpr const char* kImportHint = "only the networks of the course's MXNet terms can be imported";
constexpr std::uintmax_t kMaxSymbolBytes = 1 << 20;
constexpr std::size_t kMaxImportedLayers = 1000;
constexpr int kMaxImportedSide = 1024;

/// A layer and the names of its arrays in the .params file.
struct ChainLayer {
  NetworkLayer layer;
  std::string weights, bias;  ///< empty if the layer has none
};

class SymbolReader {
 public:
  explicit SymbolReader(std::filesystem::path path) : path_(std::move(path)) {}

  std::vector<ChainLayer> chain() const {
    try {
      const json symbol = json::parse(text());
      return chain_of(symbol.at("nodes"));
    } catch (const json::exception& error) {
      fail(fmt::format("is not a readable MXNet symbol: {}", error.what()));
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{} {}", path_.string(), what), kImportHint);
  }

 private:
  std::string text() const {
    auto bytes = read_text_file(path_, kMaxSymbolBytes);
    if (!bytes) fail(bytes.error());
    return *std::move(bytes);
  }

  // Nodes are in the order of computation. A layer's first input is the layer before it; its other
  // inputs are its arrays.
  std::vector<ChainLayer> chain_of(const json& nodes) const {
    std::vector<ChainLayer> chain;
    std::optional<std::size_t> previous;
    int convolutions = 0, connected = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const json& node = nodes.at(i);
      const auto op = node.at("op").get<std::string>();
      if (op == "null") {
        if (!previous) previous = i;  // the images
        continue;
      }
      const json& inputs = node.at("inputs");
      if (!previous || inputs.empty() || index_of(inputs, 0) != *previous) {
        fail(fmt::format("is not one chain of layers: {} does not follow the layer before it",
                         text_of(node, "name")));
      }
      previous = i;
      ChainLayer next{layer_of(node, op), {}, {}};
      const auto input_name = [&](std::size_t k) {
        return "arg:" + text_of(nodes.at(index_of(inputs, k)), "name");
      };
      const std::size_t arrays = inputs.size() - 1;
      if (next.layer.kind == LayerKind::conv) {
        if (arrays != 1) fail(fmt::format("has a bias in {}", text_of(node, "name")));
        next.layer.name = fmt::format("conv{}", ++convolutions);
        next.weights = input_name(1);
      } else if (next.layer.kind == LayerKind::fc) {
        if (arrays != 2) fail(fmt::format("has no bias in {}", text_of(node, "name")));
        next.layer.name = fmt::format("fc{}", ++connected);
        next.weights = input_name(1);
        next.bias = input_name(2);
      }
      chain.push_back(std::move(next));
      if (chain.size() > kMaxImportedLayers)
        fail(fmt::format("has more than {} layers", kMaxImportedLayers));
    }
    if (chain.empty()) fail("has no layers");
    return chain;
  }

  // Index of a node's input. An input is [node, output, version].
  std::size_t index_of(const json& inputs, std::size_t k) const {
    const json& index = inputs.at(k).at(0);
    if (!index.is_number_unsigned()) fail("has an input that is not the number of a node");
    return index.get<std::size_t>();
  }

  static std::string text_of(const json& node, const char* key) {
    return node.at(key).get<std::string>();
  }

  // A setting of a node. Versions of MXNet used three names for the settings.
  static std::string setting(const json& node, const char* key, const char* otherwise) {
    for (const char* settings : {"attrs", "attr", "param"}) {
      const auto found = node.find(settings);
      if (found != node.end() && found->contains(key)) return found->at(key).get<std::string>();
    }
    return otherwise;
  }

  int whole_number(const json& node, const char* key, const std::string& text) const {
    if (const auto number = opgrade::whole_number<int>(text); number && *number >= 0)
      return *number;
    fail(fmt::format("has {}={} in {}, which is not a number", key, text, text_of(node, "name")));
  }

  // Parses "(5, 5)", which must have the same number for height and width.
  int square(const json& node, const char* key, const char* otherwise) const {
    const std::string text = setting(node, key, otherwise);
    const auto comma = text.find(',');
    if (comma != std::string::npos && text.front() == '(' && text.back() == ')') {
      const auto second = text.find_first_not_of(' ', comma + 1);
      const std::string height = text.substr(1, comma - 1);
      if (height + ")" == text.substr(second)) return whole_number(node, key, height);
    }
    fail(fmt::format("has {}={} in {}, which is not a square", key, text, text_of(node, "name")));
  }

  void expect(const json& node, const char* key, std::initializer_list<const char*> values) const {
    const std::string value = setting(node, key, *values.begin());
    if (std::find(values.begin(), values.end(), value) != values.end()) return;
    fail(fmt::format("has {}={} in {}, which no network of the course has", key, value,
                     text_of(node, "name")));
  }

  NetworkLayer layer_of(const json& node, const std::string& op) const {
    NetworkLayer layer;
    if (op == "New" || op == "Convolution") {
      expect(node, "pad", {"(0, 0)", "(0,0)", "()"});
      expect(node, "dilate", {"(1, 1)", "(1,1)", "()"});
      expect(node, "num_group", {"1"});
      layer.kind = LayerKind::conv;
      layer.maps = whole_number(node, "num_filter", setting(node, "num_filter", ""));
      layer.kernel = square(node, "kernel", "");
      layer.stride = square(node, "stride", "(1, 1)");
    } else if (op == "Activation") {
      expect(node, "act_type", {"tanh", "relu"});
      const bool tanh = setting(node, "act_type", "") == "tanh";
      layer.kind = tanh ? LayerKind::tanh : LayerKind::relu;
    } else if (op == "Pooling") {
      expect(node, "pool_type", {"max"});
      expect(node, "pad", {"(0, 0)", "(0,0)", "()"});
      expect(node, "global_pool", {"False", "0"});
      expect(node, "pooling_convention", {"valid", "full"});
      layer.kind = LayerKind::maxpool;
      layer.window = square(node, "kernel", "");
      layer.stride = square(node, "stride", "(1, 1)");
      layer.ceil = setting(node, "pooling_convention", "valid") == "full";
    } else if (op == "Flatten") {
      layer.kind = LayerKind::flatten;
    } else if (op == "FullyConnected") {
      layer.kind = LayerKind::fc;
      layer.outputs = whole_number(node, "num_hidden", setting(node, "num_hidden", ""));
    } else if (op == "SoftmaxOutput") {
      layer.kind = LayerKind::softmax;
    } else {
      fail(fmt::format("has a layer {} of the unknown kind {}", text_of(node, "name"), op));
    }
    return layer;
  }

  std::filesystem::path path_;
};

Weights weights_of(const std::vector<ChainLayer>& chain, std::map<std::string, Tensor> arrays,
                   const std::filesystem::path& params_path) {
  const auto take = [&](const std::string& name) {
    const auto found = arrays.find(name);
    if (found == arrays.end()) {
      throw Error(fmt::format("{} has no array {}", params_path.string(), name),
                  "name the .params file that belongs to the -symbol.json file");
    }
    return std::move(found->second);
  };
  Weights weights;
  for (const ChainLayer& link : chain) {
    if (link.weights.empty()) continue;
    LayerWeights layer{link.layer.name, take(link.weights), {}};
    if (!link.bias.empty()) layer.bias = take(link.bias);
    weights.layers.push_back(std::move(layer));
  }
  return weights;
}

bool shapes_fit(const Network& network, const Weights& weights) {
  const std::vector<LayerLayout> layout = weight_layout(network);
  return std::equal(layout.begin(), layout.end(), weights.layers.begin(), weights.layers.end(),
                    [](const LayerLayout& wanted, const LayerWeights& layer) {
                      return wanted.weights == layer.weights.shape;
                    });
}

// The smallest square image for which every tensor has the shape that the network wants.
std::optional<Network> smallest_fit(const std::string& name, int channels,
                                    const std::vector<NetworkLayer>& layers,
                                    const Weights& weights) {
  for (int side = 1; side <= kMaxImportedSide; ++side) {
    try {
      Network network = make_network(name, {channels, side, side}, layers);
      if (shapes_fit(network, weights)) return network;
    } catch (const Error&) {
      continue;  // the kernel does not fit, but larger images may do
    }
  }
  return {};
}

}  // namespace

ImportedNetwork import_mxnet(const std::filesystem::path& symbol_path,
                             const std::filesystem::path& params_path, const std::string& name,
                             int side) {
  const SymbolReader symbol(symbol_path);
  const std::vector<ChainLayer> chain = symbol.chain();
  ImportedNetwork result;
  result.weights = weights_of(chain, read_mxnet_params(params_path), params_path);
  if (chain.front().layer.kind != LayerKind::conv) symbol.fail("does not begin with a convolution");
  const std::vector<std::int64_t>& first = result.weights.layers.front().weights.shape;
  if (first.size() != 4 || !(first[1] >= 1 && first[1] <= kMaxImportedSide)) {
    throw Error(fmt::format("{}: the first convolution has weights of shape {}",
                            params_path.string(), shape_text(first)),
                kImportHint);
  }
  const int channels = static_cast<int>(first[1]);
  std::vector<NetworkLayer> layers;
  for (const ChainLayer& link : chain) layers.push_back(link.layer);

  if (side == 0) {
    auto network = smallest_fit(name, channels, layers, result.weights);
    if (!network) {
      throw Error(fmt::format("{} and {} do not belong together: no image size up to {} makes the "
                              "layers' shapes agree",
                              symbol_path.string(), params_path.string(), kMaxImportedSide),
                  "name files of one model");
    }
    result.network = *std::move(network);
  } else {
    result.network = make_network(name, {channels, side, side}, layers);
  }
  check_layout(result.weights, weight_layout(result.network), params_path.string());
  result.weights.network = name;
  result.weights.provenance = fmt::format(
      "imported from {} and {} (MXNet, SHA-256 of the latter {})", symbol_path.filename().string(),
      params_path.filename().string(), sha256_of_file(params_path));
  return result;
}

}  // namespace opgrade
