// Whether calls leave memory behind, and whether a failure can come from that.
#include "grader/grading/cases/layer/memory_watch.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace opgrade {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

MemoryTrail trail_of(std::initializer_list<std::initializer_list<int>> layers) {
  MemoryTrail trail;
  for (const auto& held : layers) {
    for (const int* mebibytes = held.begin(); mebibytes != held.end(); ++mebibytes) {
      if (mebibytes == held.begin()) {
        trail.begin_layer(*mebibytes * kMiB);
      } else {
        trail.call_done(*mebibytes * kMiB);
      }
    }
  }
  return trail;
}

TEST(MemoryTrail, CountsWhatEachCallLeaves) {
  const MemoryTrail trail = trail_of({{10, 80, 150}, {160, 230}});
  EXPECT_EQ(trail.calls(), 3);
  EXPECT_EQ(trail.per_call(), 70 * kMiB);
}

TEST(MemoryTrail, BuffersThatTheFirstCallKeepsForTheOthersAreNoLeak) {
  const MemoryTrail trail = trail_of({{10, 200, 200, 200}});
  EXPECT_EQ(trail.per_call(), 0);
  EXPECT_FALSE(trail.exhausts(201 * kMiB));
}

TEST(MemoryTrail, OneCallThatLeavesTooLittleForAnother) {
  EXPECT_TRUE(trail_of({{10, 160}}).exhausts(256 * kMiB));
  EXPECT_FALSE(trail_of({{10, 160}}).exhausts(1024 * kMiB));
}

TEST(MemoryTrail, ManyCallsThatLeaveLittle) {
  EXPECT_TRUE(trail_of({{10, 40, 70, 100, 130, 160, 190}}).exhausts(256 * kMiB))
      << "the call may need more than it leaves";
  EXPECT_FALSE(trail_of({{10, 40, 70}}).exhausts(256 * kMiB));
}

TEST(MemoryTrail, WithoutARightCallNothingIsKnown) {
  EXPECT_EQ(trail_of({{10}}).calls(), 0);
  EXPECT_FALSE(trail_of({{250}}).exhausts(256 * kMiB));
}

}  // namespace
}  // namespace opgrade
