#include "grader/task/conv/network/load_network.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/task/conv/network/fields.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/key_schema.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kGood =
    "network: tiny\n"
    "input: {channels: 1, height: 9, width: 8}\n"
    "layers:\n"
    "  - conv: {name: conv1, maps: 2, kernel: 3, stride: 2}\n"
    "  - tanh\n"
    "  - maxpool: {window: 3, stride: 2, edge: ceil}\n"
    "  - flatten\n"
    "  - fc: {name: fc1, outputs: 5}\n"
    "  - softmax\n";

std::string complaint(const std::string& text) {
  try {
    parse_network(text, "net.yaml");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

// kGood with `from` replaced by `to`.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST(LoadNetwork, ReadsEveryKindOfLayer) {
  const Network network = parse_network(kGood, "net.yaml");
  EXPECT_EQ(network.name, "tiny");
  EXPECT_THAT(network.shapes,
              testing::ElementsAre(Shape{1, 9, 8}, Shape{2, 4, 3}, Shape{2, 4, 3}, Shape{2, 2, 1},
                                   Shape{4, 1, 1}, Shape{5, 1, 1}, Shape{5, 1, 1}));
  EXPECT_EQ(network.layers[0].stride, 2);
  EXPECT_TRUE(network.layers[2].ceil);
  EXPECT_EQ(network.layers[4].name, "fc1");
}

struct Case {
  std::string from, to, place, what;
};

TEST(LoadNetwork, ComplainsWithThePlace) {
  const Case cases[] = {
      {"network: tiny", "network: 3d", "1:10", "must be a name"},
      {"network: tiny", "network: [a]", "1:10", "'network' must be text"},
      {"network: tiny", "network: a/b", "1:10", "must be a name"},
      {"network: tiny", "nets: tiny", "1:1", "unknown key 'nets'"},
      {"height: 9, ", "", "2:8", "'input' needs the key 'height'"},
      {"height: 9", "height: -9", "2:30", "'height' is -9, but must be from 1 to 65536"},
      {"height: 9", "height: 9.5", "2:30", "'height' must be a whole number"},
      {"height: 9", "height: 9e9", "2:30", "'height' is 9e9, but must be"},
      {"height: 9", "height: .nan", "2:30", "'height' must be a finite number"},
      {"height: 9", "height: 0x9", "2:30", "'height' must be a finite number"},
      {"height: 9", "height: yes", "2:30", "'height' must be a finite number"},
      {"height: 9", "height: 99999999999", "2:30", "'height' is 99999999999, but must be"},
      {"height: 9", "height: 9, height: 8", "2:33", "'height' is given twice in 'input'"},
      {"maps: 2", "map: 2", "4:25", "unknown key 'map' in conv; did you mean 'maps'?"},
      {"maps: 2, ", "", "4:11", "conv needs the key 'maps'"},
      {"kernel: 3", "kernel: 9", "4:5", "layer conv1: a 9x9 kernel does not fit a 9x8 map"},
      {"- tanh", "- sigmoid", "5:5", "unknown layer 'sigmoid'"},
      {"- tanh", "- tanh: {}", "5:5", "tanh takes no settings"},
      {"- tanh", "- conv", "5:5", "conv needs settings"},
      {"- tanh", "- {tanh: 1, relu: 2}", "5:5", "a layer is one word"},
      {"- tanh", "- [tanh]", "5:5", "a layer is one word"},
      {"edge: ceil", "edge: round", "6:43", "'edge' is floor"},
      {", edge: ceil", "", "6:14", "maxpool needs the key 'edge'"},
      {"- flatten", "- relu", "8:5", "its input is 2x2x1; put flatten before it"},
      {"name: fc1", "name: conv1", "8:5", "two layers are called 'conv1'"},
      {"outputs: 5", "outputs: 5, bias: true", "8:33", "unknown key 'bias' in fc"},
      {"outputs: 5", "outputs: 0", "8:30", "'outputs' is 0, but must be"},
      {"width: 8}", "width: 8", "2:8", "this '{' is not closed"},
  };
  for (const Case& c : cases) {
    const std::string text = complaint(changed(c.from, c.to));
    EXPECT_THAT(text, HasSubstr(fmt::format("net.yaml:{}: ", c.place))) << c.to;
    EXPECT_THAT(text, HasSubstr(c.what)) << c.to;
  }
}

TEST(LoadNetwork, TellsEveryProblem) {
  std::string text = changed("height: 9", "height: 0");
  text.replace(text.find("- tanh"), 6, "- sigmoid");
  EXPECT_EQ(
      complaint(text),
      "net.yaml:2:30: 'height' is 0, but must be from 1 to 65536\n"
      "net.yaml:5:5: unknown layer 'sigmoid'; known are conv, relu, tanh, maxpool, flatten, fc "
      "and softmax\n");
}

TEST(LoadNetwork, TextThatIsNoNetwork) {
  EXPECT_THAT(complaint(""), HasSubstr("a network file must be a mapping"));
  EXPECT_THAT(complaint("# nothing\n"), StartsWith("net.yaml"));
  EXPECT_THAT(complaint("just words"), HasSubstr("a network file must be a mapping"));
  EXPECT_THAT(complaint("- a\n- b\n"), HasSubstr("a network file must be a mapping"));
  EXPECT_THAT(complaint(std::string(kGood) + "---\n" + kGood),
              HasSubstr("a second YAML document: one file is one network"));
  EXPECT_THAT(complaint("network: a\ninput: {channels: 1, height: 1, width: 1}\nlayers: []\n"),
              StartsWith("net.yaml:3:9: 'layers' must be a list"));
  EXPECT_THAT(complaint(std::string(20000, '[')), StartsWith("net.yaml:"));
  EXPECT_THAT(complaint("network: &a [*a]\n"), StartsWith("net.yaml:"));
  EXPECT_THAT(complaint(std::string("network: \0a", 11)), StartsWith("net.yaml:"));
}

using Schema = test::KeySchema<>;

TEST(NetworkSchema, IsThatOfTheFields) {
  Schema::Json words = Schema::Json::array(), maps = Schema::Json::array();
  for (const LayerDoc& known : kLayerDocs) {
    const std::string word(name_of(known.kind));
    Schema layer;
    layer.required(word.c_str(), NetworkLayer{.kind = known.kind}, known.text);
    if (layer.rule["properties"][word]["properties"].empty()) {
      words.push_back(word);
    } else {
      maps.push_back(layer.rule);
    }
  }
  Schema::Json any = Schema::Json::array({{{"type", "string"},
                                           {"description", "a layer without settings"},
                                           {"enum", std::move(words)}}});
  for (auto& map : maps) any.push_back(std::move(map));

  auto rule = Schema::entry(NetworkFile{});
  auto& layers = rule["properties"]["layers"];
  layers["items"] = {{"anyOf", std::move(any)}};
  layers["minItems"] = 1;
  layers["maxItems"] = kMaxLayers;
  test::expect_golden(OPGRADE_SOURCE_DIR "/configs/networks/network.schema.json",
                      test::key_schema("opgrade-network-1", "A network of opgrade, version 1",
                                       "For completion in editors; opgrade reports every "
                                       "problem when a config that names the network is used.",
                                       rule));
}

TEST(LoadNetwork, WritesWhatItReads) {
  std::string text = kGood;
  EXPECT_EQ(network_yaml(parse_network(text, "net.yaml")), text);
}

TEST(LoadNetwork, MissingFileIsNamed) {
  try {
    load_network("/nonexistent/net.yaml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("/nonexistent/net.yaml: cannot be read"));
  }
}

}  // namespace
}  // namespace opgrade
