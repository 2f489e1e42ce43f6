#include "grader/network/load_network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <set>
#include <sstream>

#include "grader/core/yaml_document.hpp"

namespace opgrade {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxLayers = 1000;
constexpr std::size_t kMaxNameLength = 64;
constexpr int kMaxSide = 65536;     // of images, windows and kernels, and a stride
constexpr int kMaxUnits = 1 << 20;  // channels, maps and outputs

constexpr const char* kHint = "configs/networks/fmnist-86.yaml is an example";

using Keys = std::initializer_list<std::string_view>;

// yaml-cpp accepts duplicate and unknown keys, and reads `010` as 8, so every map and every number
// goes through here.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
    if (mark.is_null()) throw Error(fmt::format("{}: {}", file_, what), kHint);
    throw Error(fmt::format("{}:{}:{}: {}", file_, mark.line + 1, mark.column + 1, what), kHint);
  }

  void expect_map(const YAML::Node& node, std::string_view what, Keys keys) const {
    if (!node.IsMap()) {
      fail(node.Mark(),
           fmt::format("{} has to be a map with the keys {}", what, fmt::join(keys, ", ")));
    }
    std::set<std::string> seen;
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) fail(entry.first.Mark(), "a key has to be a word");
      const std::string& key = entry.first.Scalar();
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        fail(entry.first.Mark(),
             fmt::format("unknown key '{}' in {}; known are {}", key, what, fmt::join(keys, ", ")));
      }
      if (!seen.insert(key).second) {
        fail(entry.first.Mark(), fmt::format("duplicate key '{}' in {}", key, what));
      }
    }
  }

  YAML::Node required(const YAML::Node& map, const char* key, std::string_view what) const {
    YAML::Node value = map[key];
    if (!value) fail(map.Mark(), fmt::format("{} lacks the key '{}'", what, key));
    return value;
  }

  int whole_number(const YAML::Node& node, std::string_view key, int limit) const {
    int number = 0;
    // A quoted "7" has the tag "!" and is a text.
    if (node.IsScalar() && node.Tag() == "?") {
      const std::string& text = node.Scalar();
      const char* end = text.data() + text.size();
      const auto [stop, failure] = std::from_chars(text.data(), end, number);
      const bool plain = failure == std::errc() && stop == end && text.front() != '0';
      if (plain && number >= 1 && number <= limit) return number;
    }
    fail(node.Mark(), fmt::format("'{}' has to be a whole number from 1 to {}", key, limit));
  }

  int whole_number_in(const YAML::Node& map, const char* key, std::string_view what,
                      int limit) const {
    return whole_number(required(map, key, what), key, limit);
  }

  std::string name(const YAML::Node& node, std::string_view key) const {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto is_part = [&](char c) {
      return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    };
    if (node.IsScalar()) {
      const std::string& text = node.Scalar();
      if (!text.empty() && text.size() <= kMaxNameLength && is_letter(text.front()) &&
          std::all_of(text.begin(), text.end(), is_part)) {
        return text;
      }
    }
    fail(node.Mark(), fmt::format("'{}' has to be a name of up to {} letters, digits, '-', '_' "
                                  "and '.', with a letter first",
                                  key, kMaxNameLength));
  }

 private:
  std::string file_;
};

std::optional<LayerKind> kind_of(std::string_view word) {
  for (const LayerKind kind :
       {LayerKind::conv, LayerKind::relu, LayerKind::tanh, LayerKind::maxpool, LayerKind::flatten,
        LayerKind::fc, LayerKind::softmax}) {
    if (word == name_of(kind)) return kind;
  }
  return {};
}

bool has_settings(LayerKind kind) {
  return kind == LayerKind::conv || kind == LayerKind::maxpool || kind == LayerKind::fc;
}

Layer read_conv(const Reader& reader, const YAML::Node& node) {
  reader.expect_map(node, "conv", {"name", "maps", "kernel", "stride"});
  Layer layer{.kind = LayerKind::conv};
  layer.name = reader.name(reader.required(node, "name", "conv"), "name");
  layer.maps = reader.whole_number_in(node, "maps", "conv", kMaxUnits);
  layer.kernel = reader.whole_number_in(node, "kernel", "conv", kMaxSide);
  if (const YAML::Node stride = node["stride"]) {
    layer.stride = reader.whole_number(stride, "stride", kMaxSide);
  }
  return layer;
}

Layer read_maxpool(const Reader& reader, const YAML::Node& node) {
  reader.expect_map(node, "maxpool", {"window", "stride", "edge"});
  Layer layer{.kind = LayerKind::maxpool};
  layer.window = reader.whole_number_in(node, "window", "maxpool", kMaxSide);
  layer.stride = reader.whole_number_in(node, "stride", "maxpool", kMaxSide);
  const YAML::Node edge = reader.required(node, "edge", "maxpool");
  if (!edge.IsScalar() || (edge.Scalar() != "floor" && edge.Scalar() != "ceil")) {
    reader.fail(edge.Mark(), "'edge' is floor (whole windows only) or ceil (a partial one too)");
  }
  layer.ceil = edge.Scalar() == "ceil";
  return layer;
}

Layer read_fc(const Reader& reader, const YAML::Node& node) {
  reader.expect_map(node, "fc", {"name", "outputs"});
  Layer layer{.kind = LayerKind::fc};
  layer.name = reader.name(reader.required(node, "name", "fc"), "name");
  layer.outputs = reader.whole_number_in(node, "outputs", "fc", kMaxUnits);
  return layer;
}

Layer read_layer(const Reader& reader, const YAML::Node& node) {
  const bool is_word = node.IsScalar();
  if (!is_word && !(node.IsMap() && node.size() == 1 && node.begin()->first.IsScalar())) {
    reader.fail(node.Mark(),
                "a layer is one word such as relu, or one word with its settings "
                "such as conv: {name: conv1, maps: 4, kernel: 7}");
  }
  const std::string word = is_word ? node.Scalar() : node.begin()->first.Scalar();
  const std::optional<LayerKind> kind = kind_of(word);
  if (!kind) {
    reader.fail(node.Mark(), fmt::format("unknown layer '{}'; known are conv, relu, tanh, maxpool, "
                                         "flatten, fc and softmax",
                                         word));
  }
  if (is_word == has_settings(*kind)) {
    reader.fail(node.Mark(),
                fmt::format("{} {}", word, is_word ? "needs settings" : "takes no settings"));
  }
  switch (*kind) {
    case LayerKind::conv:
      return read_conv(reader, node.begin()->second);
    case LayerKind::maxpool:
      return read_maxpool(reader, node.begin()->second);
    case LayerKind::fc:
      return read_fc(reader, node.begin()->second);
    default:
      return Layer{.kind = *kind};
  }
}

Network read_network(const Reader& reader, const YAML::Node& root) {
  reader.expect_map(root, "a network file", {"network", "input", "layers"});
  const std::string name = reader.name(reader.required(root, "network", "the file"), "network");

  const YAML::Node input_node = reader.required(root, "input", "the file");
  reader.expect_map(input_node, "input", {"channels", "height", "width"});
  const Shape input{reader.whole_number_in(input_node, "channels", "input", kMaxUnits),
                    reader.whole_number_in(input_node, "height", "input", kMaxSide),
                    reader.whole_number_in(input_node, "width", "input", kMaxSide)};

  const YAML::Node layer_nodes = reader.required(root, "layers", "the file");
  if (!layer_nodes.IsSequence() || layer_nodes.size() == 0) {
    reader.fail(layer_nodes.Mark(), "'layers' has to be a list of layers");
  }
  if (layer_nodes.size() > kMaxLayers) {
    reader.fail(layer_nodes.Mark(), fmt::format("more than {} layers", kMaxLayers));
  }
  // The network is made anew with each layer, so that what does not fit has its place in the file.
  std::vector<Layer> layers;
  std::set<std::string> names;
  Network network = make_network(name, input, {});
  for (const auto& node : layer_nodes) {
    layers.push_back(read_layer(reader, node));
    const std::string& layer_name = layers.back().name;
    if (!layer_name.empty() && !names.insert(layer_name).second) {
      reader.fail(node.Mark(), fmt::format("two layers are called '{}'", layer_name));
    }
    try {
      network = make_network(name, input, layers);
    } catch (const Error& error) {
      reader.fail(node.Mark(), error.what());
    }
  }
  return network;
}

}  // namespace

Network parse_network(std::string_view text, const std::string& file) {
  const Reader reader(file);
  try {
    const YamlDocument document = read_yaml(std::string(text));
    if (!document.root || document.second) {
      reader.fail(YAML::Mark::null_mark(), "a network file holds exactly one YAML document");
    }
    return read_network(reader, *document.root);
  } catch (const YAML::Exception& error) {
    reader.fail(error.mark, error.msg);
  }
}

std::string network_yaml(const Network& network) {
  const Shape& in = network.input();
  std::string text = fmt::format("network: {}\ninput: {{channels: {}, height: {}, width: {}}}\n",
                                 network.name, in.channels, in.height, in.width);
  text += "layers:\n";
  for (const Layer& layer : network.layers) {
    text += fmt::format("  - {}", name_of(layer.kind));
    if (layer.kind == LayerKind::conv) {
      text += fmt::format(": {{name: {}, maps: {}, kernel: {}, stride: {}}}", layer.name,
                          layer.maps, layer.kernel, layer.stride);
    } else if (layer.kind == LayerKind::maxpool) {
      text += fmt::format(": {{window: {}, stride: {}, edge: {}}}", layer.window, layer.stride,
                          layer.ceil ? "ceil" : "floor");
    } else if (layer.kind == LayerKind::fc) {
      text += fmt::format(": {{name: {}, outputs: {}}}", layer.name, layer.outputs);
    }
    text += "\n";
  }
  return text;
}

Network load_network(const std::filesystem::path& path) {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  if (failure) {
    throw Error(fmt::format("{}: cannot be read: {}", path.string(), failure.message()), kHint);
  }
  if (size > kMaxFileBytes) {
    throw Error(fmt::format("{}: too large for a network file", path.string()), kHint);
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw Error(fmt::format("{}: cannot be read", path.string()), kHint);
  return parse_network(text.str(), path.string());
}

}  // namespace opgrade
