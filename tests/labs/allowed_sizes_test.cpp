// Random and control sizes that satisfy what a lecturer asks of them.
#include "grader/task/folder/allowed_sizes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "grader/task/folder/folder_task.hpp"

namespace opgrade {
namespace {

TaskDescription constrained(std::vector<std::string> constraints) {
  TaskDescription task;
  task.name = "product";
  task.function = parse_prototype("void f(const float* x, float* y, int m, int n, int k)");
  task.sizes = {{.name = "m", .to = 1 << 20, .random = 2000},
                {.name = "n", .to = 1 << 20, .random = 2000},
                {.name = "k", .to = 1 << 20, .random = 2000}};
  task.buffers = {
      {.name = "x", .type = find_element_type("float"), .extents = {"m"}},
      {.name = "y",
       .type = find_element_type("float"),
       .role = BufferDescription::Role::out,
       .extents = {"m"}},
  };
  task.constraints = std::move(constraints);
  return task;
}

class Constraints : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Constraints, AllRandomShapesAndTheControlSatisfyThemAndAreNotTheSmallest) {
  const FolderTask task(constrained(GetParam()), "constrained");
  EXPECT_TRUE(task.allows(task.control_sizes()));
  EXPECT_NE(text_of(task.control_sizes()), "m=1 n=1 k=1");
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::mt19937_64 random(seed);
    const auto all = task.random_sizes(10, task.interfaces().front(), random);
    EXPECT_EQ(all.size(), 10U);
    for (const auto& sizes : all) EXPECT_TRUE(task.allows(sizes)) << text_of(sizes);
    EXPECT_GT(std::ranges::count_if(all, [](const auto& s) { return value_of(s, "m") > 1; }), 5);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Constraints,
                         testing::ValuesIn(std::vector<std::vector<std::string>>{
                             {"k <= n"},
                             {"m == n"},
                             {"m == n", "n == k"},
                             {"m % 32 == 0", "n % 32 == 0", "k % 32 == 0"},
                             {"m % 16 == 0", "m == n"},
                             {"m * n <= 10000", "m >= 2"},
                             {"m > n", "n > k"},
                             {"m == 2 * n", "k == n + 1"},
                             {"(m + n) % 7 == 0", "k < n"},
                             {},
                         }));

TEST(AllowedSizes, AContradictionHasNone) {
  const auto task = constrained({"m < n", "n < m"});
  EXPECT_FALSE(allowed_sizes_near(task, {{"m", 37}, {"n", 29}, {"k", 41}}));
  EXPECT_FALSE(allowed_sizes_near(constrained({"m / 0"}), {{"m", 1}, {"n", 1}, {"k", 1}}));
}

TEST(AllowedSizes, WhatIsAllowedStaysAsItIs) {
  const Coordinates sizes{{"m", 37}, {"n", 29}, {"k", 29}};
  EXPECT_EQ(allowed_sizes_near(constrained({"k <= n"}), sizes), sizes);
}

}  // namespace
}  // namespace opgrade
