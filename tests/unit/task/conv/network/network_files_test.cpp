// Every network that ships has the shapes of the course's table.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "grader/task/conv/network/load_network.hpp"

namespace opgrade {
namespace {

struct Row {
  const char* name;
  std::vector<Shape> convs_out;  // after each convolution
  std::vector<Shape> pools_out;  // after each pooling
  std::int64_t flat;             // values into fc1
  int hidden;                    // outputs of fc1
  LayerKind activation;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class NetworkFile : public testing::TestWithParam<Row> {};

std::filesystem::path file_of(const std::string& name) {
  return std::filesystem::path(OPGRADE_SOURCE_DIR) / "configs/networks" / (name + ".yaml");
}

TEST_P(NetworkFile, HasTheShapesOfTheCourse) {
  const Row& row = GetParam();
  const Network network = load_network(file_of(row.name));
  EXPECT_EQ(network.name, row.name);
  std::vector<Shape> convs, pools;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const LayerKind kind = network.layers[i].kind;
    if (kind == LayerKind::conv) convs.push_back(network.shapes[i + 1]);
    if (kind == LayerKind::maxpool) pools.push_back(network.shapes[i + 1]);
    if (kind == LayerKind::relu || kind == LayerKind::tanh) {
      EXPECT_EQ(kind, row.activation);
    }
  }
  EXPECT_EQ(convs, row.convs_out);
  EXPECT_EQ(pools, row.pools_out);
  EXPECT_EQ(network.output(), (Shape{10, 1, 1}));
  EXPECT_EQ(network.layers.back().kind, LayerKind::softmax);

  std::vector<LayerLayout> layout = weight_layout(network);
  ASSERT_EQ(layout.size(), row.convs_out.size() + 2);
  EXPECT_EQ(layout[0].layer, "conv1");
  const LayerLayout& fc1 = layout[layout.size() - 2];
  const LayerLayout& fc2 = layout.back();
  EXPECT_EQ(fc1.layer, "fc1");
  EXPECT_EQ(fc1.weights, (std::vector<std::int64_t>{row.hidden, row.flat}));
  EXPECT_EQ(fc2.layer, "fc2");
  EXPECT_EQ(fc2.weights, (std::vector<std::int64_t>{10, row.hidden}));
}

INSTANTIATE_TEST_SUITE_P(
    Course, NetworkFile,
    testing::Values(
        Row{"fmnist-28", {{50, 24, 24}}, {{50, 12, 12}}, 7200, 500, LayerKind::tanh},
        Row{"fmnist-64", {{6, 60, 60}, {16, 26, 26}}, {{6, 30, 30}}, 10816, 140, LayerKind::tanh},
        Row{"fmnist-72", {{12, 66, 66}, {24, 27, 27}}, {{12, 33, 33}}, 17496, 160, LayerKind::tanh},
        Row{"fmnist-48", {{6, 44, 44}, {16, 18, 18}}, {{6, 22, 22}}, 5184, 140, LayerKind::tanh},
        Row{"fmnist-48-baseline",
            {{12, 42, 42}, {24, 15, 15}},
            {{12, 21, 21}},
            5400,
            160,
            LayerKind::tanh},
        Row{"fmnist-70", {{12, 66, 66}, {24, 29, 29}}, {{12, 33, 33}}, 20184, 160, LayerKind::tanh},
        Row{"fmnist-86",
            {{4, 80, 80}, {16, 34, 34}},
            {{4, 40, 40}, {16, 9, 9}},
            1296,
            32,
            LayerKind::relu}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::erase(name, '-');
      return name;
    });

TEST(NetworkFiles, NoFileIsWithoutARow) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(file_of("x").parent_path())) {
    files += entry.path().extension() == ".yaml" ? 1 : 0;
  }
  EXPECT_EQ(files, 7) << "add a row to the table above";
}

TEST(NetworkFiles, ConvolutionsOfFmnist86) {
  const auto convs = conv_layers(load_network(file_of("fmnist-86")), 1000);
  ASSERT_EQ(convs.size(), 2U);
  EXPECT_EQ(convs[0].name, "conv1");
  EXPECT_EQ(convs[0].index, 0);
  EXPECT_EQ(convs[0].shape, (ConvShape{.B = 1000, .M = 4, .C = 1, .H = 86, .W = 86, .K = 7}));
  EXPECT_EQ(convs[1].name, "conv2");
  EXPECT_EQ(convs[1].index, 3);
  EXPECT_EQ(convs[1].shape, (ConvShape{.B = 1000, .M = 16, .C = 4, .H = 40, .W = 40, .K = 7}));
}

}  // namespace
}  // namespace opgrade
