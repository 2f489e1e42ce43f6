#include "grader/task/conv/network/load_network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <set>
#include <span>
#include <vector>

#include "grader/base/files/text_file.hpp"
#include "grader/base/files/yaml_reader.hpp"
#include "grader/task/conv/network/fields.hpp"

namespace opgrade {
namespace {

constexpr std::uintmax_t kMaxFileBytes = 1 << 20;

constexpr const char* kHint = "configs/networks/fmnist-86.yaml is an example";

/// Visits the fields of a record and writes "{key: value, key: value}".
struct NetworkText {
  std::string text;

  void operator()(const char* key, const auto& value, const Doc&, Range = {}) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, value);
  }
  void required(const char* key, int value, const Doc& doc, Range) { (*this)(key, value, doc); }
  void name(const char* key, const std::string& value, const char*, const Doc& doc) {
    (*this)(key, value, doc);
  }
  void required_word(const char* key, bool value, std::span<const std::string_view> names,
                     const Doc& doc) {
    (*this)(key, names[value ? 1 : 0], doc);
  }
};

/// Empty for a layer without settings.
std::string flow_map(const auto& record) {
  NetworkText writer;
  fields(writer, record);
  return writer.text.empty() ? "" : "{" + writer.text + "}";
}

NetworkLayer read_layer(const YAML::Node& node, ProblemList& problems);

/// Visits the fields of one mapping.
class NetworkFields {
 public:
  static void read(const YAML::Node& node, const std::string& what, auto& record,
                   ProblemList& problems) {
    MapReader map(node, what, problems);
    NetworkFields io(map, problems);
    fields(io, record);
  }

  void operator()(const char* key, int& value, const Doc&, Range range) {
    map_.read(key, value, static_cast<int>(range.minimum), static_cast<int>(range.maximum));
  }
  void operator()(const char* key, Shape& value, const Doc&) {
    read(map_.node(key), fmt::format("'{}'", key), value, problems_);
  }
  void operator()(const char* key, std::vector<NetworkLayer>& layers, const Doc&) {
    map_.each(key, [&](const YAML::Node& node) {
      if (layers.size() < kMaxLayers)
        layers.push_back(read_layer(node, problems_));
      else
        problems_.add(node, "more than {} layers", kMaxLayers);
    });
    if (map_.node(key).size() == 0)
      problems_.add(map_.node(key), "'{}' must be a list of layers", key);
  }

  template <class T, class... Limits>
  void required(const char* key, T& value, const Doc& doc, Limits... limits) {
    map_.require(key);
    if (map_.use_key(key)) (*this)(key, value, doc, limits...);
  }

  void name(const char* key, std::string& value, const char* pattern, const Doc&) {
    map_.require(key);
    map_.read(key, value);
    if (map_.use_key(key) && !std::regex_match(value, std::regex(pattern)))
      problems_.add(map_.node(key),
                    "'{}' must be a name: a letter and up to 63 "
                    "letters, digits, '-', '_' and '.'",
                    key);
  }

  void required_word(const char* key, bool& value, std::span<const std::string_view> names,
                     const Doc& doc) {
    std::string word(names[0]);
    map_.require(key);
    map_.read(key, word);
    value = word == names[1];
    if (std::ranges::find(names, word) == names.end())
      problems_.add(map_.node(key), "'{}' is {} ({})", key, fmt::join(names, " or "), doc.text);
  }

 private:
  NetworkFields(MapReader& map, ProblemList& problems) : map_(map), problems_(problems) {}

  MapReader& map_;
  ProblemList& problems_;
};

NetworkLayer read_layer(const YAML::Node& node, ProblemList& problems) {
  const bool is_word = node.IsScalar();
  if (!is_word && !(node.IsMap() && node.size() == 1 && node.begin()->first.IsScalar())) {
    problems.add(node,
                 "a layer is one word such as relu, or one word with its settings "
                 "such as conv: {name: conv1, maps: 4, kernel: 7}");
    return {};
  }
  const std::string word = is_word ? node.Scalar() : node.begin()->first.Scalar();
  const auto* const known =
      std::ranges::find(kLayerDocs, word, [](const LayerDoc& l) { return name_of(l.kind); });
  if (known == kLayerDocs.end()) {
    problems.add(node,
                 "unknown layer '{}'; known are conv, relu, tanh, maxpool, "
                 "flatten, fc and softmax",
                 word);
    return {};
  }
  NetworkLayer layer{.kind = known->kind};
  if (is_word != flow_map(layer).empty())
    problems.add(node, "{} {}", word, is_word ? "needs settings" : "takes no settings");
  else if (!is_word)
    NetworkFields::read(node.begin()->second, word, layer, problems);
  return layer;
}

/// Rebuilds the network with each layer, so that an error about a layer has its place in the file.
void check_layers(const NetworkFile& file, const YAML::Node& nodes, ProblemList& problems) {
  std::vector<NetworkLayer> layers;
  std::set<std::string> names;
  for (const NetworkLayer& layer : file.layers) {
    const YAML::Node node = nodes[layers.size()];
    layers.push_back(layer);
    if (!layer.name.empty() && !names.insert(layer.name).second)
      problems.add(node, "two layers are called '{}'", layer.name);
    try {
      make_network(file.name, file.input, layers);
    } catch (const Error& error) {
      return problems.add(node, error.what());
    }
  }
}

}  // namespace

Network parse_network(std::string_view text, const std::string& file) {
  ProblemList problems(file);
  NetworkFile read;
  const auto root = read_document(std::string(text), file, "network", problems);
  if (root) NetworkFields::read(*root, "a network file", read, problems);
  if (problems.count() == 0) check_layers(read, (*root)["layers"], problems);
  if (problems.count() > 0) throw Error(to_text(problems.take()), kHint);
  return make_network(read.name, read.input, read.layers);
}

std::string network_yaml(const Network& network) {
  std::string text =
      fmt::format("network: {}\ninput: {}\nlayers:\n", network.name, flow_map(network.input()));
  for (const NetworkLayer& layer : network.layers) {
    const std::string settings = flow_map(layer);
    text +=
        fmt::format("  - {}{}{}\n", name_of(layer.kind), settings.empty() ? "" : ": ", settings);
  }
  return text;
}

Network load_network(const std::filesystem::path& path) {
  const auto text = read_text_file(path, kMaxFileBytes);
  if (!text) throw Error(fmt::format("{}: {}", path.string(), text.error()), kHint);
  return parse_network(*text, path.string());
}

}  // namespace opgrade
