#include "grader/tasks/conv/network/load_network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <vector>

#include "grader/core/whole_number.hpp"
#include "grader/core/yaml_document.hpp"
#include "grader/tasks/conv/network/fields.hpp"

namespace opgrade {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxNameLength = 64;

constexpr const char* kHint = "configs/networks/fmnist-86.yaml is an example";

using Keys = std::vector<std::string_view>;

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

  int whole_number(const YAML::Node& node, std::string_view key, Range range) const {
    // A quoted "7" has the tag "!" and is a text.
    if (node.IsScalar() && node.Tag() == "?" && !node.Scalar().starts_with('0')) {
      const auto number = opgrade::whole_number<int>(node.Scalar());
      if (number && *number >= range.minimum && *number <= range.maximum) return *number;
    }
    fail(node.Mark(), fmt::format("'{}' has to be a whole number from {} to {}", key, range.minimum,
                                  range.maximum));
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

/// Visits the fields of a record for its keys.
struct NetworkKeys {
  Keys keys;

  void operator()(const char* key, const auto&, const Doc&, Range = {}) { keys.push_back(key); }
  void required(const char* key, const auto&, const Doc&, Range = {}) { keys.push_back(key); }
  void name(const char* key, const std::string&, const char*, const Doc&) { keys.push_back(key); }
  void required_word(const char* key, bool, std::span<const std::string_view>, const Doc&) {
    keys.push_back(key);
  }
};

template <class Record>
Keys keys_of(const Record& record) {
  NetworkKeys list;
  fields(list, record);
  return list.keys;
}

const LayerDoc* find_kind(std::string_view word) {
  const auto found = std::ranges::find(kLayerDocs, word,
                                       [](const LayerDoc& layer) { return name_of(layer.kind); });
  return found == kLayerDocs.end() ? nullptr : found;
}

std::vector<Layer> read_layers(const Reader& reader, const YAML::Node& nodes,
                               const NetworkFile& file);

/// Visits the fields of one mapping.
class NetworkFields {
 public:
  template <class Record>
  NetworkFields(const Reader& reader, YAML::Node map, std::string_view what,
                std::string_view lacking, Record& record)
      : reader_(reader), map_(std::move(map)), lacking_(lacking) {
    reader_.expect_map(map_, what, keys_of(record));
    if constexpr (std::is_same_v<Record, NetworkFile>) file_ = &record;
    fields(*this, record);
  }

  void operator()(const char* key, int& value, const Doc&, Range range) {
    if (const YAML::Node node = map_[key]) value = reader_.whole_number(node, key, range);
  }

  void required(const char* key, int& value, const Doc&, Range range) {
    value = reader_.whole_number(at(key), key, range);
  }

  void required(const char* key, Shape& value, const Doc&) {
    NetworkFields(reader_, at(key), key, key, value);
  }

  void required(const char* key, std::vector<Layer>& layers, const Doc&) {
    layers = read_layers(reader_, at(key), *file_);
  }

  void name(const char* key, std::string& value, const char*, const Doc&) {
    value = reader_.name(at(key), key);
  }

  void required_word(const char* key, bool& value, std::span<const std::string_view> names,
                     const Doc& doc) {
    const YAML::Node node = at(key);
    if (!node.IsScalar() || std::ranges::find(names, node.Scalar()) == names.end())
      reader_.fail(node.Mark(),
                   fmt::format("'{}' is {} ({})", key, fmt::join(names, " or "), doc.text));
    value = node.Scalar() == names[1];
  }

 private:
  YAML::Node at(const char* key) const {
    YAML::Node value = map_[key];
    if (!value) reader_.fail(map_.Mark(), fmt::format("{} lacks the key '{}'", lacking_, key));
    return value;
  }

  const Reader& reader_;
  YAML::Node map_;
  std::string_view lacking_;
  const NetworkFile* file_ = nullptr;
};

Layer read_layer(const Reader& reader, const YAML::Node& node) {
  const bool is_word = node.IsScalar();
  if (!is_word && !(node.IsMap() && node.size() == 1 && node.begin()->first.IsScalar())) {
    reader.fail(node.Mark(),
                "a layer is one word such as relu, or one word with its settings "
                "such as conv: {name: conv1, maps: 4, kernel: 7}");
  }
  const std::string word = is_word ? node.Scalar() : node.begin()->first.Scalar();
  const LayerDoc* const known = find_kind(word);
  if (known == nullptr) {
    reader.fail(node.Mark(), fmt::format("unknown layer '{}'; known are conv, relu, tanh, maxpool, "
                                         "flatten, fc and softmax",
                                         word));
  }
  Layer layer{.kind = known->kind};
  if (is_word != keys_of(layer).empty()) {
    reader.fail(node.Mark(),
                fmt::format("{} {}", word, is_word ? "needs settings" : "takes no settings"));
  }
  if (!is_word) NetworkFields(reader, node.begin()->second, word, word, layer);
  return layer;
}

/// The network is made anew with each layer, so that what does not fit has its place in the file.
std::vector<Layer> read_layers(const Reader& reader, const YAML::Node& nodes,
                               const NetworkFile& file) {
  if (!nodes.IsSequence() || nodes.size() == 0) {
    reader.fail(nodes.Mark(), "'layers' has to be a list of layers");
  }
  if (nodes.size() > kMaxLayers) {
    reader.fail(nodes.Mark(), fmt::format("more than {} layers", kMaxLayers));
  }
  std::vector<Layer> layers;
  std::set<std::string> names;
  for (const auto& node : nodes) {
    layers.push_back(read_layer(reader, node));
    const std::string& name = layers.back().name;
    if (!name.empty() && !names.insert(name).second) {
      reader.fail(node.Mark(), fmt::format("two layers are called '{}'", name));
    }
    try {
      make_network(file.name, file.input, layers);
    } catch (const Error& error) {
      reader.fail(node.Mark(), error.what());
    }
  }
  return layers;
}

/// Visits the fields of a record: "{key: value, key: value}".
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

std::string flow_map(const auto& record) {
  NetworkText writer;
  fields(writer, record);
  return writer.text.empty() ? "" : "{" + writer.text + "}";
}

}  // namespace

Network parse_network(std::string_view text, const std::string& file) {
  const Reader reader(file);
  try {
    const YamlDocument document = read_yaml(std::string(text));
    if (!document.root || document.second) {
      reader.fail(YAML::Mark::null_mark(), "a network file holds exactly one YAML document");
    }
    NetworkFile read;
    NetworkFields(reader, *document.root, "a network file", "the file", read);
    return make_network(read.name, read.input, read.layers);
  } catch (const YAML::Exception& error) {
    reader.fail(error.mark, error.msg);
  }
}

std::string network_yaml(const Network& network) {
  std::string text =
      fmt::format("network: {}\ninput: {}\nlayers:\n", network.name, flow_map(network.input()));
  for (const Layer& layer : network.layers) {
    const std::string settings = flow_map(layer);
    text +=
        fmt::format("  - {}{}{}\n", name_of(layer.kind), settings.empty() ? "" : ": ", settings);
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
