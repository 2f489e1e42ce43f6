#include "grader/task/conv/network/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace opgrade {
namespace {

using testing::HasSubstr;

NetworkLayer conv(std::string name, int maps, int kernel, int stride = 1) {
  NetworkLayer layer{.kind = LayerKind::conv, .name = std::move(name)};
  layer.maps = maps;
  layer.kernel = kernel;
  layer.stride = stride;
  return layer;
}

NetworkLayer pool(int window, int stride, bool ceil) {
  NetworkLayer layer{.kind = LayerKind::maxpool};
  layer.window = window;
  layer.stride = stride;
  layer.ceil = ceil;
  return layer;
}

NetworkLayer fc(std::string name, int outputs) {
  NetworkLayer layer{.kind = LayerKind::fc, .name = std::move(name)};
  layer.outputs = outputs;
  return layer;
}

NetworkLayer plain(LayerKind kind) { return NetworkLayer{.kind = kind}; }

std::string complaint(Shape input, std::vector<NetworkLayer> layers) {
  try {
    make_network("net", input, std::move(layers));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Network, PoolingWithFloorAndCeil) {
  const auto out = [](int n, int window, int stride, bool ceil) {
    return output_shape(pool(window, stride, ceil), {3, n, n}).value().height;
  };
  EXPECT_EQ(out(34, 4, 4, false), 8);
  EXPECT_EQ(out(34, 4, 4, true), 9);
  EXPECT_EQ(out(36, 4, 4, true), 9);
  EXPECT_EQ(out(80, 2, 2, true), 40);
  EXPECT_EQ(out(7, 3, 2, false), 3);
  EXPECT_EQ(out(8, 3, 2, true), 4);
}

TEST(Network, StridedConvolution) {
  // The shapes of 2023fa's test cases.
  EXPECT_EQ(output_shape(conv("c", 3, 3, 2), {3, 301, 301}).value(), (Shape{3, 150, 150}));
  EXPECT_EQ(output_shape(conv("c", 3, 3, 3), {3, 196, 196}).value(), (Shape{3, 65, 65}));
  EXPECT_EQ(output_shape(conv("c", 3, 3, 4), {3, 239, 239}).value(), (Shape{3, 60, 60}));
}

TEST(Network, FirstLayerThatDoesNotFitIsNamed) {
  EXPECT_THAT(complaint({1, 8, 8}, {conv("a", 2, 5), conv("b", 2, 5), conv("c", 2, 5)}),
              HasSubstr("net: layer b: a 5x5 kernel does not fit a 4x4 map"));
  EXPECT_THAT(complaint({1, 8, 8}, {pool(2, 2, false), pool(5, 1, true)}),
              HasSubstr("layer maxpool2: a 5x5 window does not fit a 4x4 map"));
  EXPECT_THAT(complaint({2, 3, 3}, {fc("f", 4)}), HasSubstr("layer f: its input is 2x3x3"));
  EXPECT_THAT(complaint({2, 3, 3}, {plain(LayerKind::softmax)}), HasSubstr("softmax1"));
  EXPECT_THAT(complaint({1, 8, 9}, {pool(1, 100, true)}), HasSubstr("outside the map"));
  EXPECT_THAT(complaint({0, 8, 8}, {}), HasSubstr("not possible"));
  EXPECT_EQ(complaint({1, 8, 8}, {conv("a", 2, 5), plain(LayerKind::flatten), fc("f", 4)}), "none");
}

TEST(Network, SizesThatOverflowAreRefused) {
  constexpr int kMax = std::numeric_limits<int>::max();
  EXPECT_THAT(complaint({kMax, kMax, kMax}, {}), HasSubstr("not possible"));
  EXPECT_THAT(complaint({1, 1000, 1000}, {conv("a", 1000, 1)}), HasSubstr("too many values"));
  EXPECT_THAT(complaint({1, 1000, 1000}, {conv("a", kMax, 1)}), HasSubstr("too many weights"));
  EXPECT_THAT(complaint({60000, 60, 60}, {conv("a", 60000, 60)}), HasSubstr("too many weights"));
  EXPECT_THAT(complaint({1000000, 1, 1}, {fc("f", 1000000)}), HasSubstr("too many weights"));
}

TEST(Network, LogitsLeaveOutAFinalSoftmaxOnly) {
  const Shape flat{4, 1, 1};
  EXPECT_EQ(make_network("n", flat, {fc("f", 3), plain(LayerKind::softmax)}).logits_end(), 1);
  EXPECT_EQ(make_network("n", flat, {fc("f", 3)}).logits_end(), 1);
}

class NetworkWeights : public testing::Test {
 protected:
  std::string complaint() const {
    try {
      check_layout(weights_, weight_layout(network_), "network net");
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  const Network network_ = make_network(
      "net", {1, 4, 4}, {conv("conv1", 2, 3), plain(LayerKind::flatten), fc("fc1", 3)});
  Weights weights_{
      "net",
      "made up",
      {{"conv1", {{2, 1, 3, 3}, std::vector<float>(18, 1.0F)}, {}},
       {"fc1", {{3, 8}, std::vector<float>(24, 1.0F)}, Tensor{{3}, std::vector<float>(3, 0.0F)}}}};
};

TEST_F(NetworkWeights, Fit) { EXPECT_EQ(complaint(), "none"); }

TEST_F(NetworkWeights, OfAnotherShape) {
  weights_.layers[0].weights.shape = {1, 2, 3, 3};
  EXPECT_THAT(complaint(),
              HasSubstr("weights of layer conv1 are 1x2x3x3, the network wants 2x1x3x3"));
}

TEST_F(NetworkWeights, Missing) {
  weights_.layers[0].layer = "conv7";
  EXPECT_THAT(complaint(), HasSubstr("weights of layer conv1 are missing"));
  weights_.layers[0].layer = "conv1";
  weights_.layers[1].bias.reset();
  EXPECT_THAT(complaint(), HasSubstr("biases of layer fc1 are missing"));
}

TEST_F(NetworkWeights, NotFinite) {
  weights_.layers[1].weights.values[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(complaint(), HasSubstr("weights of layer fc1 are not all finite"));
}

TEST_F(NetworkWeights, FewerValuesThanTheirShape) {
  weights_.layers[1].weights.values.pop_back();
  EXPECT_THAT(complaint(), HasSubstr("weights of layer fc1"));
}

}  // namespace
}  // namespace opgrade
