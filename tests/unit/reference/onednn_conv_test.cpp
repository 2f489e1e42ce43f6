#include "reference/onednn_conv.hpp"

#include <gtest/gtest.h>

#include "reference/conv_direct.hpp"
#include "tests/unit/reference/conv_cases.hpp"

namespace opgrade {
namespace {

// The yardstick must measure the same operation: else a ratio to it says nothing.
TEST(OnednnConv, EveryChoiceComputesTheSameOperation) {
  for (const ConvShape& shape :
       {ConvShape{3, 16, 4, 14, 17, 7, 1}, ConvShape{2, 6, 1, 20, 20, 5, 1},
        ConvShape{2, 8, 16, 12, 12, 3, 1}, ConvShape{2, 5, 3, 15, 19, 3, 2}}) {
    const auto x = test::random_whole(shape.x_size(), 16),
               k = test::random_whole(shape.k_size(), 17);
    std::vector<double> truth(static_cast<std::size_t>(shape.y_size()));
    conv_direct(shape, x.data(), k.data(), truth.data());
    int made = 0;
    for (const auto algorithm : {OnednnAlgorithm::direct, OnednnAlgorithm::automatic})
      for (const auto layout : {OnednnLayout::nchw, OnednnLayout::nhwc, OnednnLayout::blocked})
        for (const int threads : {1, 2}) {
          std::vector<float> y(truth.size(), -1.0F);
          auto conv =
              OnednnConv::create(shape, x.data(), k.data(), y.data(), algorithm, layout, threads);
          if (!conv) continue;
          ++made;
          conv->load();
          conv->compute();
          conv->store();
          // Small whole numbers: exact in any order of summation.
          ASSERT_EQ(std::vector<double>(y.begin(), y.end()), truth)
              << testing::PrintToString(shape) << ' ' << onednn_name(algorithm) << ' '
              << onednn_name(layout) << ' ' << conv->implementation();
        }
    EXPECT_GT(made, 0) << testing::PrintToString(shape);
  }
}

TEST(OnednnConv, WinogradIsRefusedWhereThereIsNone) {
  const ConvShape shape{1, 4, 1, 20, 20, 7, 1};
  const std::vector<float> x(static_cast<std::size_t>(shape.x_size()));
  const std::vector<float> k(static_cast<std::size_t>(shape.k_size()));
  std::vector<float> y(static_cast<std::size_t>(shape.y_size()));
  EXPECT_FALSE(OnednnConv::create(shape, x.data(), k.data(), y.data(), OnednnAlgorithm::winograd,
                                  OnednnLayout::nchw, 1));
}

}  // namespace
}  // namespace opgrade
