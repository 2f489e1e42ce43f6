// Rules about Op Times.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "grader/task/config/load.hpp"
#include "tests/unit/task/config/good_config.hpp"

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

/// The complaints about a rule with these keys besides case and points.
std::vector<std::string> about(const std::string& keys) {
  return complaints(std::string(kGoodConfig) + "    op_times: [{model: m, batch: 10, points: 1, " +
                    keys + "}]\n");
}

TEST(LoadConfig, ABoundIsATimeAMultipleOrARate) {
  const std::string text =
      std::string(kGoodConfig) +
      "    op_times:\n"
      "      - {model: m, batch: 10, points: 1, full: 1.5 TB/s, zero: 300 GB/s}\n"
      "      - {model: m, batch: 10, points: 1, full: 2 TFLOP/s, zero: 9 ms}\n"
      "      - {model: m, batch: 10, points: 1, full: 1.2 x reference, zero: "
      "never, between: speed}\n";
  const LoadedConfig loaded = parse_config(text, "c");
  EXPECT_EQ(to_text(loaded.problems), "");
  const auto& rules = loaded.config.stages.at(0).op_times;
  EXPECT_EQ(rules.at(0).full, (TimeBound{1500, TimeBound::Unit::gbyte_s}));
  EXPECT_EQ(rules.at(1).full, (TimeBound{2000, TimeBound::Unit::gflop_s}));
  EXPECT_EQ(rules.at(1).between, OpTimeRule::Between::time);
  EXPECT_EQ(rules.at(2).zero, kNever);
  EXPECT_EQ(rules.at(2).between, OpTimeRule::Between::speed);
  const std::string dumped = dump_config(loaded.config);
  EXPECT_THAT(dumped, HasSubstr("full: 1500 GB/s, zero: 300 GB/s, take"));
  EXPECT_THAT(dumped, HasSubstr("full: 1.2 x reference, zero: never, between: speed"));
  EXPECT_EQ(dump_config(parse_config(dumped, "d").config), dumped);
}

TEST(LoadConfig, BoundsThatGiveNoPointsOrAllAreRefused) {
  EXPECT_THAT(about("full: 100 GB/s, zero: 300 GB/s"),
              ElementsAre(HasSubstr("'zero' must not be more than 'full', for it is a rate")));
  EXPECT_THAT(about("limit: 0.5 x serial"), ElementsAre(HasSubstr("only a task's folder has")));
  EXPECT_THAT(about("full: never, zero: never, between: speed"),
              ElementsAre(HasSubstr("only 'zero' can be 'never'")));
  EXPECT_THAT(about("limit: never"), ElementsAre(HasSubstr("only 'zero' can be 'never'"),
                                                 HasSubstr("needs 'between: speed'")));
  EXPECT_THAT(about("full: 1 ms, zero: never"), ElementsAre(HasSubstr("needs 'between: speed'")));
  EXPECT_THAT(about("full: 1 ms, zero: 2 ms, between: luck"),
              ElementsAre(HasSubstr("'between' must be time or speed, not 'luck'")));
  for (const char* bad :
       {"300GB/s", "0 GB/s", "-1 TB/s", "GB/s", "300 MB/s", "nan GB/s", "inf x reference"})
    EXPECT_THAT(about(std::string("full: ") + bad + ", zero: 9 s"),
                ElementsAre(HasSubstr("or a rate (300 GB/s, 2 TFLOP/s, 0.6 of roofline), not")))
        << bad;
}

TEST(LoadConfig, AShareOfTheRooflineIsARateOfAGpu) {
  EXPECT_THAT(about("limit: 0.6 of roofline"),
              ElementsAre(HasSubstr("the stage needs 'device: cuda'")));
  std::string text = kGoodConfig;
  text.replace(text.find("device: cpu"), 11, "device: cuda");
  const LoadedConfig loaded = parse_config(
      text +
          "    op_times: [{model: m, batch: 10, points: 1, full: 0.6 of roofline, zero: "
          "0.1 of roofline, between: speed}]\n",
      "c");
  EXPECT_EQ(to_text(loaded.problems), "");
  const OpTimeRule& rule = loaded.config.stages.at(0).op_times.at(0);
  EXPECT_EQ(rule.full, (TimeBound{0.6, TimeBound::Unit::roofline}));
  EXPECT_THAT(dump_config(loaded.config),
              HasSubstr("full: 0.6 of roofline, zero: 0.1 of roofline, between: speed"));
  EXPECT_THAT(complaints(text + "    op_times: [{model: m, batch: 10, points: 1, full: 0.1 of "
                                "roofline, zero: 0.6 of roofline}]\n"),
              ElementsAre(HasSubstr("'zero' must not be more than 'full', for it is a rate")));
}

TEST(LoadConfig, AShareOfTheRooflineIsNoPercentage) {
  const auto with_bounds = [](const std::string& bounds) {
    std::string text = kGoodConfig;
    text.replace(text.find("device: cpu"), 11, "device: cuda");
    return complaints(text + "    op_times: [{model: m, batch: 10, points: 1, " + bounds + "}]\n");
  };
  EXPECT_THAT(with_bounds("full: 60 of roofline, zero: 0.1 of roofline"),
              ElementsAre(HasSubstr(
                  "'full' is 60 of roofline, more than the whole of a GPU's rates: a share "
                  "is at most 1. Write 0.6 for 60 %")));
  EXPECT_THAT(with_bounds("full: 0.6 of roofline, zero: 10 of roofline"),
              ElementsAre(HasSubstr("'zero' is 10 of roofline"), HasSubstr("for it is a rate")));
  EXPECT_THAT(with_bounds("limit: 1.01 of roofline"),
              ElementsAre(HasSubstr("'limit' is 1.01 of roofline")));
  EXPECT_THAT(with_bounds("limit: 600 of roofline"),
              ElementsAre(HasSubstr(
                  "'limit' is 600 of roofline, more than the whole of a GPU's rates: a share "
                  "is at most 1")));
  for (const char* bad : {"0 of roofline", "-0.5 of roofline", "nan of roofline"})
    EXPECT_THAT(with_bounds(std::string("limit: ") + bad), ElementsAre(HasSubstr("must be a time")))
        << bad;
  for (const char* right :
       {"limit: 1 of roofline", "limit: 0.6 of roofline",
        "full: 0.9 of roofline, zero: 0.01 of "
        "roofline",
        "full: 60 GB/s, zero: 10 GB/s", "full: 60 x reference, zero: 100 x reference"})
    EXPECT_THAT(with_bounds(right), IsEmpty()) << right;
}

TEST(LoadConfig, LateWorkHasBoundsOfItsOwn) {
  const auto with_late = [](const std::string& late) {
    return std::string(kGoodConfig) +
           "    op_times: [{model: m, batch: 10, points: 5, full: 1 ms, zero: 3 ms, late: " + late +
           "}]\n";
  };
  const LoadedConfig loaded =
      parse_config(with_late("{points: 3, full: 2 x reference, zero: never, between: speed}"), "c");
  EXPECT_EQ(to_text(loaded.problems), "");
  const OpTimeRule& rule = loaded.config.stages.at(0).op_times.at(0);
  EXPECT_EQ(rule.points, 5);
  EXPECT_EQ(rule.for_late().points, 3);
  EXPECT_EQ(rule.for_late().full, (TimeBound{2, TimeBound::Unit::reference}));
  EXPECT_EQ(rule.for_late().between, OpTimeRule::Between::speed);
  EXPECT_FALSE(rule.for_late().late);
  const std::string dumped = dump_config(loaded.config);
  EXPECT_EQ(dump_config(parse_config(dumped, "d").config), dumped);
  EXPECT_THAT(complaints(with_late("{points: 3, limit: 1 ms}")), IsEmpty());
  EXPECT_THAT(complaints(with_late("{points: 6, limit: 1 ms}")),
              ElementsAre(HasSubstr("'late' has 6 points, more than the 5 in time")));
  EXPECT_THAT(complaints(with_late("{points: 3, full: 2 ms, zero: 1 ms}")),
              ElementsAre(HasSubstr("'zero' must not be less than 'full'")));
  EXPECT_THAT(complaints(with_late("{points: 3, limit: 0.5 of roofline}")),
              ElementsAre(HasSubstr("the stage needs 'device: cuda'")));
  EXPECT_THAT(complaints(with_late("{points: 3, limit: 0.5 x serial}")),
              ElementsAre(HasSubstr("only a task's folder has")));
  EXPECT_THAT(complaints(with_late("{limit: 1 ms}")), ElementsAre(HasSubstr("'points'")));
}

TEST(LoadConfig, ARankingByTheClasssFastest) {
  const auto with_ranking = [](const std::string& keys) {
    return std::string(kGoodConfig) + "ranking: {stage: cpu, model: m, batch: 10, rule: " + keys +
           "}\n";
  };
  const LoadedConfig loaded = parse_config(
      with_ranking("best, points: 5, full: 1.2, zero: 4, steps: [{within: 1.05, points: 2}, "
                   "{within: 1.2, points: 1}]"),
      "c");
  EXPECT_EQ(to_text(loaded.problems), "");
  const RankingConfig& ranking = loaded.config.ranking.value();
  EXPECT_EQ(ranking.full, 1.2);
  EXPECT_EQ(ranking.zero, 4);
  EXPECT_EQ(ranking.steps.at(1).within, 1.2);
  const std::string dumped = dump_config(loaded.config);
  EXPECT_EQ(dump_config(parse_config(dumped, "d").config), dumped);
  EXPECT_THAT(complaints(with_ranking("best, full: 0.9")), ElementsAre(HasSubstr("at least 1")));
  EXPECT_THAT(complaints(with_ranking("best, full: 2, zero: 2")),
              ElementsAre(HasSubstr("'zero' must be more than 'full'")));
  EXPECT_THAT(complaints(with_ranking("best, steps: [{up_to: 3, points: 1}]")),
              ElementsAre(HasSubstr("a step of the rule 'best' has 'within'")));
  EXPECT_THAT(complaints(with_ranking("ranks, steps: [{within: 3, points: 1}]")),
              ElementsAre(HasSubstr("a step of the rule 'ranks' has 'up_to'")));
  EXPECT_THAT(complaints(with_ranking("best, steps: [{within: 3, points: 1}, {within: 2, points: "
                                      "2}]")),
              ElementsAre(HasSubstr("in the order of their times")));
}

}  // namespace
}  // namespace opgrade
