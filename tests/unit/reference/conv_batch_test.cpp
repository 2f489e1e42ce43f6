#include "reference/conv_batch.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "reference/conv_direct.hpp"
#include "tests/unit/reference/conv_cases.hpp"

namespace opgrade {
namespace {

template <class Acc>
void expect_truth(const ConvShape& shape, int threads) {
  const auto x = test::random_whole(shape.x_size(), 12), k = test::random_whole(shape.k_size(), 13);
  std::vector<double> truth(static_cast<std::size_t>(shape.y_size()));
  conv_direct(shape, x.data(), k.data(), truth.data());
  // One element off, so that images do not begin on a vector or a line.
  std::vector<Acc> y(truth.size() + 2, std::numeric_limits<Acc>::quiet_NaN());
  conv_fast(shape, x.data(), k.data(), y.data() + 1, threads);
  EXPECT_NE(y.front(), y.front()) << "wrote before y";
  EXPECT_NE(y.back(), y.back()) << "wrote after y";
  ASSERT_EQ(std::vector<double>(y.begin() + 1, y.end() - 1), truth)
      << testing::PrintToString(shape) << " with " << threads << " threads";
}

TEST(ConvFastBatch, EveryThreadCountGivesTheTruth) {
  for (const ConvShape& shape : {ConvShape{1, 4, 1, 30, 33, 5, 1}, ConvShape{5, 3, 2, 9, 12, 3, 1},
                                 ConvShape{2, 40, 3, 5, 5, 5, 1}, ConvShape{33, 2, 1, 8, 20, 3, 2}})
    for (const int threads : {0, 1, 2, 3, 8}) {
      expect_truth<float>(shape, threads);
      expect_truth<double>(shape, threads);
    }
}

// Megabytes of y: these go past the caches, an image behind the computation.
TEST(ConvFastBatch, LargeBatchesGiveTheTruth) {
  for (const ConvShape& shape :
       {ConvShape{41, 17, 1, 31, 33, 2, 1}, ConvShape{7, 50, 2, 47, 46, 2, 1},
        ConvShape{700, 9, 1, 10, 12, 2, 1}})
    for (const int threads : {1, 2, 3}) {
      expect_truth<float>(shape, threads);
      expect_truth<double>(shape, threads);
    }
}

}  // namespace
}  // namespace opgrade
