#include "grader/app/gpu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The rules are those of the CUDA programming guide's section on environment variables.
class VisibleToCuda : public testing::Test {
 protected:
  const GpuId a{"A", "GPU-11111111-aa"}, b{"B", "GPU-22222222-bb"}, c{"C", "GPU-22223333-cc"};
  const std::vector<GpuId> all{a, b, c};
};

TEST_F(VisibleToCuda, AllWithoutTheVariable) { EXPECT_EQ(visible_to_cuda(all, nullptr), all); }

TEST_F(VisibleToCuda, ByNumberInTheOrderGiven) {
  EXPECT_THAT(visible_to_cuda(all, "2,0"), ElementsAre(c, a));
  EXPECT_THAT(visible_to_cuda(all, " 1 , 2"), ElementsAre(b, c));
}

TEST_F(VisibleToCuda, ByTheBeginningOfAUuid) {
  EXPECT_THAT(visible_to_cuda(all, "GPU-22223333-cc,GPU-1"), ElementsAre(c, a));
}

TEST_F(VisibleToCuda, NothingFromTheFirstThatNamesNone) {
  EXPECT_THAT(visible_to_cuda(all, "1,-1,0"), ElementsAre(b));
  EXPECT_THAT(visible_to_cuda(all, "0,3,1"), ElementsAre(a));
  for (const char* none : {"", " ", "-1", "none", "GPU-4", "9", ",0", "1x", "99999999999999999999"})
    EXPECT_THAT(visible_to_cuda(all, none), IsEmpty()) << none;
}

TEST_F(VisibleToCuda, APartOfADeviceIsADevice) {
  const auto visible = visible_to_cuda(all, "MIG-abc");
  ASSERT_EQ(visible.size(), 1U);
  EXPECT_EQ(visible[0].uuid, "MIG-abc");
}

}  // namespace
}  // namespace opgrade
