#include "grader/task/conv/network/forward.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "grader/task/conv/network/load_network.hpp"

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Network network_of(const std::string& input, const std::string& layers) {
  return parse_network("network: n\ninput: " + input + "\nlayers:\n" + layers, "test");
}

std::vector<float> run(const Network& network, const Weights& weights, int images,
                       const std::vector<float>& in, int threads = 1) {
  const int layers = static_cast<int>(network.layers.size());
  std::vector<float> out(static_cast<std::size_t>(images * network.output().size()), -77.0F);
  forward_layers(network, weights, 0, layers, images, in, out, threads);
  return out;
}

std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> result(count);
  for (float& value : result) value = values(generator);
  return result;
}

TEST(Forward, ReluAlone) {
  const Network network = network_of("{channels: 1, height: 1, width: 4}", "  - relu\n");
  EXPECT_THAT(run(network, {}, 1, {-1, 0, 2, -0.5F}), ElementsAre(0, 0, 2, 0));
}

TEST(Forward, PoolingInTwosWithAndWithoutThePartialWindow) {
  const std::string input = "{channels: 2, height: 3, width: 3}";
  const std::vector<float> in{1,  2,  3,  //
                              4,  5,  6,  //
                              7,  8,  9,  //
                              -1, -2, -3, -4, -5, -6, -7, -8, -9};
  const Network whole = network_of(input, "  - maxpool: {window: 2, stride: 2, edge: floor}\n");
  EXPECT_THAT(run(whole, {}, 1, in), ElementsAre(5, -1));
  const Network partial = network_of(input, "  - maxpool: {window: 2, stride: 2, edge: ceil}\n");
  EXPECT_THAT(run(partial, {}, 1, in), ElementsAre(5, 6, 8, 9, -1, -3, -7, -9));
}

TEST(Forward, OverlappingWindows) {
  const Network network = network_of("{channels: 1, height: 1, width: 5}",
                                     "  - maxpool: {window: 1, stride: 2, edge: ceil}\n");
  EXPECT_THAT(run(network, {}, 1, {5, 1, 4, 2, 3}), ElementsAre(5, 4, 3));
  const Network overlap = network_of("{channels: 1, height: 3, width: 5}",
                                     "  - maxpool: {window: 3, stride: 1, edge: floor}\n");
  EXPECT_THAT(run(overlap, {}, 1, {0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 5, 0, 0, 0, 0}),
              ElementsAre(5, 4, 4));
}

// Every window and stride against the definition, on a map whose sides differ.
TEST(Forward, PoolingEqualsItsDefinition) {
  const int C = 3, H = 13, W = 18;
  const auto in = random_values(std::size_t{C * H * W}, 1);
  for (const int window : {1, 2, 3, 4, 5}) {
    for (const int stride : {1, 2, 3, 4}) {
      for (const std::string edge : {"floor", "ceil"}) {
        if (stride > window && edge == "ceil") continue;  // windows between which values lie
        const Network network =
            network_of("{channels: 3, height: 13, width: 18}",
                       "  - maxpool: {window: " + std::to_string(window) +
                           ", stride: " + std::to_string(stride) + ", edge: " + edge + "}\n");
        const Shape out = network.output();
        const auto got = run(network, {}, 1, in);
        std::size_t at = 0;
        for (int c = 0; c < C; ++c) {
          for (int h = 0; h < out.height; ++h) {
            for (int w = 0; w < out.width; ++w, ++at) {
              float best = -std::numeric_limits<float>::infinity();
              for (int p = h * stride; p < std::min(h * stride + window, H); ++p) {
                for (int q = w * stride; q < std::min(w * stride + window, W); ++q) {
                  best = std::max(best, in[std::size_t((c * H + p) * W + q)]);
                }
              }
              ASSERT_EQ(got[at], best) << window << " " << stride << " " << edge << " " << at;
            }
          }
        }
      }
    }
  }
}

TEST(Forward, ActivationBeforeAndAfterPoolingAgree) {
  const std::string input = "{channels: 2, height: 6, width: 7}";
  const std::string pool = "  - maxpool: {window: 2, stride: 2, edge: ceil}\n";
  const auto in = random_values(2 * 6 * 7 * 3, 2);
  for (const std::string activation : {"  - relu\n", "  - tanh\n"}) {
    EXPECT_EQ(run(network_of(input, activation + pool), {}, 3, in),
              run(network_of(input, pool + activation), {}, 3, in));
  }
}

TEST(Forward, FullyConnectedEqualsADoubleSum) {
  // 1037 inputs and 7 outputs: whole pieces, whole vectors and a rest of each; 37 images: whole
  // tiles, a rest, and more than one block.
  constexpr int kIn = 1037, kOut = 7, kImages = 37;
  const Network network =
      network_of("{channels: 1037, height: 1, width: 1}", "  - fc: {name: fc1, outputs: 7}\n");
  const auto in = random_values(kIn * kImages, 3);
  const Weights weights{"n",
                        "",
                        {{"fc1",
                          {{kOut, kIn}, random_values(kIn * kOut, 4)},
                          Tensor{{kOut}, random_values(kOut, 5)}}}};
  const auto out = run(network, weights, kImages, in, 2);
  for (int b = 0; b < kImages; ++b) {
    for (int o = 0; o < kOut; ++o) {
      double sum = weights.layers[0].bias->values[std::size_t(o)];
      for (int i = 0; i < kIn; ++i) {
        sum += static_cast<double>(in[std::size_t(b * kIn + i)]) *
               static_cast<double>(weights.layers[0].weights.values[std::size_t(o * kIn + i)]);
      }
      ASSERT_NEAR(out[std::size_t(b * kOut + o)], sum, 1e-4) << b << " " << o;
    }
  }
}

TEST(Forward, AnImageDoesNotDependOnItsNeighbours) {
  const Network network = network_of("{channels: 3, height: 9, width: 9}",
                                     "  - relu\n"
                                     "  - maxpool: {window: 2, stride: 2, edge: ceil}\n"
                                     "  - flatten\n"
                                     "  - fc: {name: fc1, outputs: 5}\n"
                                     "  - tanh\n"
                                     "  - fc: {name: fc2, outputs: 3}\n"
                                     "  - softmax\n");
  const Weights weights{
      "n",
      "",
      {{"fc1", {{5, 75}, random_values(375, 6)}, Tensor{{5}, random_values(5, 7)}},
       {"fc2", {{3, 5}, random_values(15, 8)}, Tensor{{3}, random_values(3, 9)}}}};
  check_layout(weights, weight_layout(network), "network n");
  constexpr int kImages = 71;
  const std::size_t size = 243;
  const auto in = random_values(size * kImages, 10);
  const auto all = run(network, weights, kImages, in, 2);
  for (const int b : {0, 31, 32, 63, 70}) {
    const auto begin = in.begin() + b * std::ptrdiff_t(size);
    const auto one = run(network, weights, 1, {begin, begin + std::ptrdiff_t(size)});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(one[std::size_t(i)], all[std::size_t(b * 3 + i)]) << b;
  }
}

TEST(Forward, SoftmaxOfLargeLogits) {
  const Network network = network_of("{channels: 3, height: 1, width: 1}", "  - softmax\n");
  const auto out = run(network, {}, 2, {1000, 1000, -1000, 0, std::log(2.0F), std::log(5.0F)});
  EXPECT_FLOAT_EQ(out[0], 0.5F);
  EXPECT_FLOAT_EQ(out[1], 0.5F);
  EXPECT_EQ(out[2], 0);
  EXPECT_FLOAT_EQ(out[3], 0.125F);
  EXPECT_FLOAT_EQ(out[4], 0.25F);
  EXPECT_FLOAT_EQ(out[5], 0.625F);
}

TEST(Forward, FlattenAndAnEmptyRangeKeepTheValues) {
  const Network network = network_of("{channels: 2, height: 1, width: 2}", "  - flatten\n");
  EXPECT_THAT(run(network, {}, 1, {1, 2, 3, 4}), ElementsAre(1, 2, 3, 4));
  std::vector<float> out(4);
  forward_layers(network, {}, 1, 1, 1, std::vector<float>{4, 3, 2, 1}, out);
  EXPECT_THAT(out, ElementsAre(4, 3, 2, 1));
}

TEST(Forward, WrongCallsAreErrors) {
  const Network network = network_of("{channels: 1, height: 4, width: 4}",
                                     "  - conv: {name: c1, maps: 1, kernel: 2}\n  - relu\n");
  const auto complaint = [&](int first, int last, int images, std::size_t in, std::size_t out) {
    std::vector<float> x(in), y(out);
    try {
      forward_layers(network, {}, first, last, images, x, y);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(complaint(0, 2, 1, 16, 9), HasSubstr("c1 of network n is a convolution"));
  EXPECT_EQ(complaint(1, 2, 2, 18, 18), "none");
  EXPECT_THAT(complaint(1, 2, 2, 17, 18), HasSubstr("the input"));
  EXPECT_THAT(complaint(1, 2, 2, 18, 19), HasSubstr("the output"));
  EXPECT_THAT(complaint(1, 3, 1, 9, 9), HasSubstr("no layers 1 to 3"));
  EXPECT_THAT(complaint(-1, 1, 1, 9, 9), HasSubstr("no layers"));
  EXPECT_THAT(complaint(1, 2, -1, 9, 9), HasSubstr("no layers"));
}

}  // namespace
}  // namespace opgrade
