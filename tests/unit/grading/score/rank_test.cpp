#include "grader/grading/score/rank.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "grader/report/words/reason_words.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;

Contender timed(const std::string& name, double ms) { return {name, Entry::timed, ms}; }

RankingConfig deviations(double points, double range = 2) {
  RankingConfig rule;
  rule.points = points;
  rule.deviations = range;
  return rule;
}

RankingConfig ranks(const std::vector<std::pair<int, double>>& steps) {
  RankingConfig rule;
  rule.rule = RankingConfig::Rule::ranks;
  for (const auto& [up_to, points] : steps)
    rule.steps.push_back({.up_to = up_to, .points = points});
  return rule;
}

std::map<std::string, Ranked> by_name(const std::vector<Ranked>& table) {
  std::map<std::string, Ranked> rows;
  for (const auto& row : table) rows.emplace(row.who.name, row);
  return rows;
}

TEST(Rank, MedianAndDeviationOfAClassThatWasWorkedOutByHand) {
  // mean 5, squares 9 1 1 1 0 0 4 16 = 32, over 8 = 4; the middle two are 4 and 5.
  std::vector<Contender> all;
  for (const double ms : {2, 4, 4, 4, 5, 5, 7, 9}) all.push_back(timed("x", ms));
  const ClassTimes times = class_times(all);
  EXPECT_EQ(times.count, 8);
  EXPECT_DOUBLE_EQ(times.median_ms, 4.5);
  EXPECT_DOUBLE_EQ(times.deviation_ms, 2);
  all.push_back(timed("y", 100));
  EXPECT_DOUBLE_EQ(class_times(all).median_ms, 5);
}

TEST(Rank, DeviationsMapLinearlyToPoints) {
  // Median 4.5, deviation 2: of 10 points within two deviations either way, 1 ms is 10/8 points.
  std::vector<Contender> all;
  const char* name = "abcdefgh";
  for (const double ms : {2, 4, 4, 4, 5, 5, 7, 9}) all.push_back(timed({*name++}, ms));
  const auto rows = by_name(rank_class(all, deviations(10)));
  EXPECT_DOUBLE_EQ(rows.at("a").points, 8.125);
  EXPECT_DOUBLE_EQ(rows.at("b").points, 5.625);
  EXPECT_DOUBLE_EQ(rows.at("e").points, 4.375);
  EXPECT_DOUBLE_EQ(rows.at("g").points, 1.875);
  EXPECT_DOUBLE_EQ(rows.at("h").points, 0);  // 2.25 deviations above
  EXPECT_DOUBLE_EQ(by_name(rank_class(all, deviations(25, 1))).at("a").points, 25);
  EXPECT_DOUBLE_EQ(by_name(rank_class(all, deviations(25, 1))).at("b").points, 15.625);
}

RankingConfig best(double points, double full, double zero,
                   std::vector<RankingConfig::Step> steps = {}) {
  RankingConfig rule;
  rule.rule = RankingConfig::Rule::best;
  rule.points = points;
  rule.full = full;
  rule.zero = zero;
  rule.steps = std::move(steps);
  return rule;
}

constexpr double kNoZero = std::numeric_limits<double>::infinity();

TEST(RankBest, PointsInProportionToTheSpeedOfTheFastest) {
  const std::vector<Contender> all{timed("a", 10),
                                   timed("b", 12),
                                   timed("c", 20),
                                   timed("d", 40),
                                   {"wrong", Entry::incorrect, 1}};
  const auto rows = by_name(rank_class(all, best(20, 1, kNoZero)));
  EXPECT_DOUBLE_EQ(rows.at("a").points, 20);
  EXPECT_NEAR(rows.at("b").points, 20 / 1.2, 1e-9);
  EXPECT_NEAR(rows.at("d").points, 5, 1e-9);
  EXPECT_EQ(rows.at("wrong").points, 0) << "and is not the fastest";
  EXPECT_EQ(report::sentence_of(rows.at("c").reason), "20 ms, 2 times the class's fastest (10 ms)");
  const auto within = by_name(rank_class(all, best(20, 1.2, 4)));
  EXPECT_DOUBLE_EQ(within.at("b").points, 20);
  EXPECT_DOUBLE_EQ(within.at("d").points, 0);
}

TEST(RankBest, StepsWithinAFactorOfTheFastest) {
  const auto rows = by_name(rank_class(
      {timed("a", 100), timed("b", 105), timed("c", 119), timed("d", 121)},
      best(0, 1, kNoZero, {{.within = 1.05, .points = 2}, {.within = 1.2, .points = 1}})));
  EXPECT_EQ(rows.at("a").points, 2);
  EXPECT_EQ(rows.at("b").points, 2);
  EXPECT_EQ(rows.at("c").points, 1);
  EXPECT_EQ(rows.at("d").points, 0);
}

// Op Time is what a call takes beyond an empty one, and can be 0.
TEST(RankBest, ATimeOfZeroIsTheFastest) {
  for (const RankingConfig& rule : {best(20, 1, kNoZero), best(20, 1.2, 4)}) {
    const auto rows = by_name(rank_class({timed("a", 0), timed("b", 0), timed("c", 3)}, rule));
    EXPECT_DOUBLE_EQ(rows.at("a").points, 20);
    EXPECT_DOUBLE_EQ(rows.at("b").points, 20);
    EXPECT_DOUBLE_EQ(rows.at("c").points, 0);
  }
}

// Also the fastest gains nothing by being slower, though the time of all others is then nearer.
TEST(RankBest, NobodyGainsByAGreaterTime) {
  for (const RankingConfig& rule :
       {best(20, 1, kNoZero), best(20, 1.2, 4),
        best(20, 1.5, kNoZero, {{.within = 1.1, .points = 3}}),
        best(0, 1, kNoZero, {{.within = 1.05, .points = 2}, {.within = 1.2, .points = 1}})}) {
    for (const double other : {0.5, 7., 300.}) {
      double before = 30;
      for (double ms = 0.1; ms < 5000; ms *= 1.07) {
        const auto rows =
            by_name(rank_class({timed("me", ms), timed("other", other), timed("last", 400)}, rule));
        const double points = rows.at("me").points;
        ASSERT_TRUE(points >= 0 && points <= before) << points << " points at " << ms;
        before = points;
      }
    }
  }
}

TEST(Rank, AClassOfEqualTimesGetsHalf) {
  for (const auto& row : rank_class({timed("a", 7), timed("b", 7)}, deviations(10))) {
    EXPECT_DOUBLE_EQ(row.points, 5);
    EXPECT_EQ(row.rank, 1);
  }
  EXPECT_DOUBLE_EQ(rank_class({timed("alone", 3)}, deviations(10))[0].points, 5);
  EXPECT_TRUE(rank_class({}, deviations(10)).empty());
}

TEST(Rank, TheIncorrectAndTheAbsentGetNothingAndDoNotMoveTheMedian) {
  const auto rows = by_name(rank_class({timed("a", 10),
                                        timed("b", 20),
                                        {"wrong", Entry::incorrect, 1},
                                        {"gone", Entry::absent},
                                        {"odd", Entry::open, 1}},
                                       deviations(10)));
  // Median 15, deviation 5: one deviation either way.
  EXPECT_DOUBLE_EQ(rows.at("a").points, 7.5);
  EXPECT_DOUBLE_EQ(rows.at("b").points, 2.5);
  for (const char* name : {"wrong", "gone", "odd"}) {
    EXPECT_EQ(rows.at(name).points, 0) << name;
    EXPECT_FALSE(rows.at(name).rank) << name;
    EXPECT_FALSE(rows.at(name).reason.empty()) << name;
  }
  EXPECT_TRUE(rows.at("odd").open);
  EXPECT_FALSE(rows.at("gone").open);
}

/// 5.01 is 5 within the scatter of gradings.
TEST(Rank, EqualTimesShareTheBetterRankAndTheNextRanksAreSkipped) {
  const auto table = rank_class(
      {timed("d", 9), timed("b", 5.01), timed("c", 5), timed("a", 3), {"z", Entry::absent}},
      ranks({{1, 1.0}, {3, 0.5}}));
  ASSERT_EQ(table.size(), 5U);
  const char* names[] = {"a", "b", "c", "d"};
  const int places[] = {1, 2, 2, 4};
  const double points[] = {1, 0.5, 0.5, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(table[i].who.name, names[i]);
    EXPECT_EQ(table[i].rank, places[i]);
    EXPECT_EQ(table[i].points, points[i]);
  }
  EXPECT_FALSE(table[4].rank);
}

/// Alone each would have another rank.
TEST(Rank, CopiesOfTheSameFilesShareOneTime) {
  std::vector<Contender> all{timed("a", 10), timed("b", 11), timed("c", 12), timed("other", 10.5)};
  for (std::size_t i = 0; i < 3; ++i) all[i].files = "ab";
  const auto rows = by_name(rank_class(all, ranks({{1, 1.0}})));
  EXPECT_EQ(rows.at("other").rank, 1);
  for (const char* copy : {"a", "b", "c"}) {
    EXPECT_EQ(rows.at(copy).rank, 2) << copy;
    EXPECT_EQ(rows.at(copy).who.time_ms, 11) << copy;
  }
}

TEST(Rank, ATieAcrossAStepGivesBothTheBetterStep) {
  const auto table = rank_class({timed("a", 1), timed("b", 1)}, ranks({{1, 1.0}, {2, 0.5}}));
  EXPECT_EQ(table[0].points, 1);
  EXPECT_EQ(table[1].points, 1);
}

TEST(Rank, TheBonusIsForTimesStrictlyBelow) {
  auto rule = ranks({{1, 1.0}});
  rule.bonus_points = 0.25;
  rule.bonus_below_ms = 22;
  const auto table = rank_class({timed("a", 21.4), timed("b", 21.8), timed("c", 21.95)}, rule);
  EXPECT_EQ(table[0].points, 1.25);
  EXPECT_EQ(table[1].points, 0.25);
  EXPECT_EQ(table[2].points, 0);
}

Grade graded(Outcome outcome, Device device, std::vector<std::vector<double>> samples) {
  CaseReport c;
  c.model = "high";
  c.batch = 100;
  c.outcome = outcome;
  for (auto& times : samples) {
    CallReport call;
    call.timed = true;
    call.op_time = summarize(times);
    c.calls.push_back(call);
  }
  Grade grade;
  grade.submission = "ann";
  grade.stages.push_back({.name = "m3", .device = device, .cases = {c}});
  return grade;
}

RankingConfig m3() {
  RankingConfig rule;
  rule.stage = "m3";
  rule.model = "high";
  rule.batch = 100;
  return rule;
}

TEST(Rank, AContenderIsTimedByTheSumOverItsLayers) {
  const Grade grade = graded(Outcome::passed, Device::cuda, {{3, 1, 2}, {10, 30, 20}});
  EXPECT_EQ(contender_of(grade, m3()).entry, Entry::timed);
  EXPECT_DOUBLE_EQ(contender_of(grade, m3()).time_ms, 22);
  auto fastest = m3();
  fastest.take = Statistic::fastest;
  EXPECT_DOUBLE_EQ(contender_of(grade, fastest).time_ms, 11);
  auto mean = m3();
  mean.take = Statistic::mean;
  EXPECT_DOUBLE_EQ(
      contender_of(graded(Outcome::passed, Device::cuda, {{1, 2, 6}, {1, 1, 7}}), mean).time_ms,
      3 + 3);
}

TEST(Rank, WhoIsNotTimed) {
  for (const bool open : {false, true}) {
    Grade broken = graded(Outcome::passed, Device::cuda, {{1}});
    for (CaseReport& c : broken.stages[0].cases) c.broken_rule = BrokenRule{why::ByStaff{}, open};
    EXPECT_EQ(contender_of(broken, m3()).entry, open ? Entry::open : Entry::incorrect);
  }
  EXPECT_EQ(contender_of(graded(Outcome::wrong_output, Device::cuda, {{1}}), m3()).entry,
            Entry::incorrect);
  EXPECT_EQ(contender_of(graded(Outcome::build_failed, Device::cuda, {}), m3()).entry,
            Entry::incorrect);
  EXPECT_EQ(contender_of(graded(Outcome::not_credible, Device::cuda, {{1}}), m3()).entry,
            Entry::open);
  EXPECT_EQ(contender_of(graded(Outcome::grader_fault, Device::cuda, {}), m3()).entry, Entry::open);
  EXPECT_EQ(contender_of(graded(Outcome::passed, Device::emulated, {{1}}), m3()).entry,
            Entry::open);
  EXPECT_EQ(contender_of(graded(Outcome::not_emulated, Device::emulated, {}), m3()).entry,
            Entry::open);
  EXPECT_EQ(contender_of(graded(Outcome::passed, Device::cuda, {}), m3()).entry, Entry::open);
  Grade slow = graded(Outcome::passed, Device::cuda, {{1}});
  slow.stages[0].cases[0].calls[0].timed = false;
  slow.stages[0].cases[0].calls[0].too_slow = true;
  EXPECT_EQ(contender_of(slow, m3()).entry, Entry::too_slow);
  const Ranked row = rank_class({contender_of(slow, m3())}, deviations(10))[0];
  EXPECT_EQ(row.points, 0);
  EXPECT_FALSE(row.open);
  EXPECT_FALSE(row.rank);
  Grade hidden_wrong = graded(Outcome::passed, Device::cuda, {{1}});
  CaseReport wrong;
  wrong.outcome = Outcome::wrong_output;
  hidden_wrong.stages[0].cases.push_back(wrong);
  EXPECT_EQ(contender_of(hidden_wrong, m3()).entry, Entry::incorrect);
}

/// Who lacks the time is told what is missing.
TEST(Rank, AdviceDoesNotMakeItIncorrect) {
  Grade grade = graded(Outcome::passed, Device::cuda, {{1}});
  CaseReport advice;
  advice.outcome = Outcome::wrong_output;
  advice.advice = true;
  grade.stages[0].cases.push_back(advice);
  EXPECT_EQ(contender_of(grade, m3()).entry, Entry::timed);
}

TEST(Rank, WhyNoTimeIsKnown) {
  const auto reason = [](const Grade& grade, RankingConfig rule = m3()) {
    const Ranked row = rank_class({contender_of(grade, rule)}, deviations(10))[0];
    EXPECT_TRUE(row.open);
    return report::sentence_of(row.reason);
  };
  const Grade right = graded(Outcome::passed, Device::cuda, {{1}});
  auto other_stage = m3();
  other_stage.stage = "final";
  EXPECT_THAT(reason(right, other_stage), HasSubstr("no stage 'final'"));
  auto other_batch = m3();
  other_batch.batch = 5000;
  EXPECT_THAT(reason(right, other_batch), HasSubstr("no case m3/high/5000"));
  EXPECT_THAT(reason(graded(Outcome::passed, Device::emulated, {{1}})),
              HasSubstr("emulated device has no Op Time"));
  EXPECT_THAT(reason(graded(Outcome::passed, Device::cuda, {})), HasSubstr("no Op Time was"));
  EXPECT_EQ(reason(graded(Outcome::not_credible, Device::cuda, {{1}})),
            "no credible Op Time: staff decide");
  Grade unrun = graded(Outcome::not_run, Device::cuda, {});
  unrun.stages[0].cases[0].id = "m3/high/100";
  unrun.stages[0].cases[0].reason = text_reason("there is no GPU here");
  EXPECT_EQ(reason(unrun), "m3/high/100: there is no GPU here");
}

}  // namespace
}  // namespace opgrade
