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

}  // namespace
}  // namespace opgrade
