#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "grader/gpu/referee.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

/// 512 MiB of x, as much as a case may leave behind unseen, and then some of y.
constexpr ConvShape kLarge{.B = 8192, .M = 1, .C = 1, .H = 128, .W = 128, .K = 7, .S = 1};

class RefereeOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS("gpu", !Referee::devices().empty(), "no GPU answers");
  }
};

TEST_F(RefereeOnGpu, EachDeviceIsItsOwn) {
  std::set<std::string> uuids;
  const auto devices = Referee::devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto referee = Referee::make(static_cast<int>(i));
    EXPECT_EQ(referee->uuid(), devices[i].uuid);
    EXPECT_FALSE(devices[i].name.empty());
    uuids.insert(referee->uuid());
  }
  EXPECT_EQ(uuids.size(), devices.size());
}

TEST_F(RefereeOnGpu, ThreadsTakeTurns) {
  const auto referee = Referee::make(0);
  for (int i = 0; i < 4; ++i) {
    std::thread([&] {
      referee->begin_case();
      EXPECT_TRUE(referee->answers());
      EXPECT_GT(referee->turn_to_grader().count(), 0);
      EXPECT_NO_THROW(referee->prove_usable());
    }).join();
  }
}

/// What the grader has on one device says nothing about the memory of another.
TEST_F(RefereeOnGpu, MemoryIsCountedPerDevice) {
  OPGRADE_SKIP_UNLESS("two-gpus", Referee::devices().size() >= 2, "needs two GPUs");
  const std::vector<float> x(static_cast<std::size_t>(kLarge.x_size()), 1.0F);
  const std::vector<float> k(static_cast<std::size_t>(kLarge.k_size()), 1.0F);
  const auto one = Referee::make(0);
  auto two = Referee::make(1);
  two->begin_case();
  two->load(kLarge, x.data(), k.data());
  EXPECT_NO_THROW(two->prove_usable()) << "its own arrays are not a submission's";
  one->begin_case();
  two.reset();
  EXPECT_NO_THROW(one->prove_usable()) << "the other device's memory is not this one's";
  EXPECT_TRUE(one->answers());
}

}  // namespace
}  // namespace opgrade
