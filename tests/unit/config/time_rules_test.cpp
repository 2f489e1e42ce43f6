// Rules about Op Times.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "grader/config/load.hpp"
#include "tests/unit/config/good_config.hpp"

namespace opgrade {
namespace {

using test::complaints;
using test::kGoodConfig;
using test::with;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LoadConfig, OneCaseHasOneStatistic) {
  const std::string rule = "{model: m, batch: 10, points: 1, full: 1 ms, zero: 2 ms";
  const auto rules = [&](const std::string& first, const std::string& second) {
    return std::string(kGoodConfig) + "    op_times:\n      - " + rule + first + "}\n      - " +
           rule + second + "}\n";
  };
  EXPECT_THAT(complaints(rules(", take: mean", ", take: mean")), IsEmpty());
  EXPECT_THAT(complaints(rules(", take: mean", ", take: fastest")),
              ElementsAre("12:72: 'take' is fastest here and mean in another rule for the same "
                          "case: one case has one Op Time"));
  const std::string ranking = "ranking: {stage: cpu, model: m, batch: 10, rule: deviations";
  const std::string text = std::string(kGoodConfig) + "    op_times:\n      - " + rule + "}\n";
  EXPECT_THAT(complaints(text + ranking + "}\n"), IsEmpty());
  EXPECT_THAT(complaints(text + ranking + ", take: fastest}\n"),
              ElementsAre(HasSubstr("'take' is fastest here and median in another rule")));
}

TEST(LoadConfig, ALimitIsWhereAllPointsBecomeNone) {
  const LoadedConfig loaded = parse_config(
      std::string(kGoodConfig) + "    op_times: [{model: m, batch: 10, points: 1, limit: 2 s}]\n",
      "c");
  EXPECT_EQ(to_text(loaded.problems), "");
  const OpTimeRule& rule = loaded.config.stages.at(0).op_times.at(0);
  EXPECT_EQ(rule.full.value, 2000);
  EXPECT_EQ(rule.zero.value, 2000);
  EXPECT_THAT(dump_config(loaded.config), HasSubstr("points: 1, limit: 2000 ms, take"));
}

/// On a GPU A is the same in every call: a table of its sums would make a narrow product faster.
TEST(LoadConfig, ANarrowMatrixProductIsNotTimedOnAGpu) {
  const auto timed = [](const char* device, int N, const char* rule) {
    return complaints(
        fmt::format("opgrade: 1\nname: x\ninterface: matmul\nstages:\n  - name: s\n"
                    "    device: {}\n    cases:\n"
                    "      - {{name: narrow, sizes: {{M: 512, N: {}, K: 512}}}}\n{}",
                    device, N, rule));
  };
  const char* const rule = "    op_times:\n      - {case: narrow, points: 1, limit: 1 ms}\n";
  EXPECT_THAT(timed("cuda", 31, rule),
              ElementsAre("10:9: the Op Time rule cannot time the case narrow: on a GPU N must be "
                          "at least 32, and is 31"));
  EXPECT_THAT(timed("cuda", 32, rule), IsEmpty());
  EXPECT_THAT(timed("cpu", 1, rule), IsEmpty()) << "both inputs are fresh";
  EXPECT_THAT(timed("cuda", 1, ""), IsEmpty());
  EXPECT_THAT(timed("cuda", 1, "ranking: {stage: s, case: narrow, rule: deviations}\n"),
              ElementsAre(HasSubstr("'ranking' cannot time the case s/narrow: on a GPU N must")));
}

}  // namespace
}  // namespace opgrade
