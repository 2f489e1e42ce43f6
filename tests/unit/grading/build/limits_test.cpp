#include "grader/grading/build/limits.hpp"

#include <gtest/gtest.h>

namespace opgrade {
namespace {

TEST(Limits, EachGoesToItsOwnPlaceInThePolicy) {
  LimitConfig limits;
  limits.wall = std::chrono::milliseconds(1500);
  limits.cpu = std::chrono::milliseconds(2001);
  limits.memory_bytes = 3;
  limits.output_bytes = 4;
  limits.file_bytes = 5;
  limits.processes = 6;
  SandboxPolicy policy;
  set_limits(policy, limits);
  EXPECT_EQ(policy.wall, std::chrono::milliseconds(1500));
  EXPECT_EQ(policy.cpu, std::chrono::seconds(3)) << "rounded up: no run gets less than promised";
  EXPECT_EQ(policy.memory_bytes, 3);
  EXPECT_EQ(policy.output_bytes, 4);
  EXPECT_EQ(policy.file_bytes, 5);
  EXPECT_EQ(policy.processes, 6);
}

}  // namespace
}  // namespace opgrade
