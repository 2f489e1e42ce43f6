#include "grader/grading/score/score.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "grader/base/core/case_time.hpp"
#include "grader/base/core/gpu_rates.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/time_bound.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;

constexpr auto kReference = TimeBound::Unit::reference;

CaseReport with_outcome(Outcome outcome) {
  CaseReport report;
  report.outcome = outcome;
  report.reason = text_reason("what happened");
  return report;
}

/// A right case whose conv layers took these times.
CaseReport with_times(std::vector<double> medians_ms) {
  CaseReport report = with_outcome(Outcome::passed);
  for (const double ms : medians_ms) {
    CallReport call;
    call.op_time = summarize({ms});
    call.timed = true;
    report.calls.push_back(call);
  }
  return report;
}

TEST(ScoreCase, OnlyARightCaseEarns) {
  for (const auto& entry : kOutcomes) {
    const PointItem item = score_case(10, with_outcome(entry.outcome), Device::cpu, true);
    const bool earns = entry.outcome == Outcome::passed || entry.outcome == Outcome::not_credible;
    const bool open = entry.outcome == Outcome::not_run || entry.outcome == Outcome::grader_fault ||
                      entry.outcome == Outcome::not_emulated;
    EXPECT_EQ(item.points, earns ? 10 : 0) << entry.id;
    EXPECT_EQ(item.max_points, 10) << entry.id;
    EXPECT_EQ(item.open, open) << entry.id;
    EXPECT_FALSE(item.reason.empty()) << entry.id;
    EXPECT_EQ(item.reason == text_reason("what happened"), !earns) << entry.id;
  }
}

TEST(ScoreCase, EmulatedPointsAreTheConfigsChoice) {
  EXPECT_EQ(score_case(10, with_outcome(Outcome::passed), Device::emulated, true).points, 10);
  const PointItem item = score_case(10, with_outcome(Outcome::passed), Device::emulated, false);
  EXPECT_EQ(item.points, 0);
  EXPECT_TRUE(item.open);
  const PointItem wrong =
      score_case(10, with_outcome(Outcome::wrong_output), Device::emulated, false);
  EXPECT_EQ(wrong.points, 0);
  EXPECT_FALSE(wrong.open) << "wrong everywhere is lost, not open";
}

TEST(CaseTime, NeedsEveryLayer) {
  EXPECT_EQ(case_time(with_times({10, 30}), Statistic::median), 40);
  EXPECT_EQ(case_time(CaseReport{}, Statistic::median), std::nullopt);
  CaseReport one_untimed = with_times({10, 30});
  one_untimed.calls[1].timed = false;
  EXPECT_EQ(case_time(one_untimed, Statistic::median), std::nullopt);
  CaseReport no_samples = with_times({10, 30});
  no_samples.calls[0].op_time = {};
  EXPECT_EQ(case_time(no_samples, Statistic::median), std::nullopt);
}

TEST(StatisticOf, IsWhatTheRulesOfTheCaseTake) {
  Config config;
  StageConfig stage;
  stage.name = "m3";
  OpTimeRule rule{.model = "m", .batch = 100};
  rule.take = Statistic::mean;
  stage.op_times = {rule};
  config.ranking = RankingConfig{.stage = "m3", .model = "m", .batch = 1000};
  config.ranking->take = Statistic::fastest;
  CaseReport report;
  report.model = "m";
  report.batch = 100;
  EXPECT_EQ(statistic_of(config, stage, report), Statistic::mean);
  report.batch = 1000;
  EXPECT_EQ(statistic_of(config, stage, report), Statistic::fastest);
  report.batch = 10;
  EXPECT_EQ(statistic_of(config, stage, report), Statistic::median);
  report.batch = 1000;
  stage.name = "m2";
  EXPECT_EQ(statistic_of(config, stage, report), Statistic::median) << "another stage is ranked";
}

TEST(TimingOf, TheConfigSaysHowManyCallsAreTimed) {
  Config config;
  StageConfig stage;
  stage.name = "m3";
  stage.op_times = {{.model = "m", .batch = 100}};
  config.ranking = RankingConfig{.stage = "m3", .model = "m", .batch = 1000};
  const auto calls = [&](CaseConfig c) { return timing_of(config, stage, c).repetitions; };
  EXPECT_EQ(calls({.model = "m", .batch = 100}), 15) << "for points";
  EXPECT_EQ(calls({.model = "m", .batch = 1000}), 15) << "for the rank";
  EXPECT_EQ(calls({.model = "m", .batch = 10}), 1);
  EXPECT_EQ(calls({.model = "m", .batch = 100, .advice = true}), 0) << "nobody counts it";
  TimingConfig own;
  own.repetitions = 7;
  EXPECT_EQ(calls({.model = "m", .batch = 10, .timing = own}), 7);
  config.timing.repetitions = 5;
  EXPECT_EQ(calls({.model = "m", .batch = 100}), 5);
}

TEST(DecidesPoints, OfACaseItsGroupItsTimeOrARank) {
  Config config;
  StageConfig stage;
  stage.name = "m3";
  stage.op_times = {{.model = "m", .batch = 100}};
  config.ranking = RankingConfig{.stage = "m3", .model = "m", .batch = 1000};
  const auto decides = [&](CaseConfig c) { return decides_points(config, stage, c); };
  EXPECT_FALSE(decides({.model = "m", .batch = 10}));
  EXPECT_FALSE(decides({.model = "m", .batch = 10, .advice = true}));
  EXPECT_TRUE(decides({.model = "m", .batch = 10, .points = 1}));
  EXPECT_TRUE(decides({.model = "m", .batch = 10, .group = "all"}));
  EXPECT_TRUE(decides({.model = "m", .batch = 100}));
  EXPECT_TRUE(decides({.model = "m", .batch = 1000}));
}

TEST(GradedTime, IsAMultipleOfARoundStepThatScatterDoesNotReach) {
  for (const auto& [ms, graded] : {std::pair{21.13, 21.2},
                                   {21.09, 21.0},
                                   {105.4, 105.0},
                                   {0.2271, 0.228},
                                   {0.0123, 0.012},
                                   {0.0004, 0.0},
                                   {1234.0, 1230.0},
                                   {5000.0, 5000.0},
                                   {0.0, 0.0}})
    EXPECT_EQ(graded_time(ms, 0.005), graded) << ms;
  EXPECT_EQ(graded_time(105.4, 0.05), 110) << "a machine with more scatter";
}

constexpr OpTimeRule kAbsolute{"m", 100, 20, {80}, {200}};

TEST(ScoreOpTime, LinearBetweenTheBoundsByHand) {
  const std::pair<double, double> table[] = {
      {1, 20},
      {79.9, 20},
      {80, 20},  // full up to and with the bound
      {110, 15},
      {140, 10},
      {170, 5},  // a quarter of the 120 ms costs a quarter of the
                 // points
      {139.6, 10},
      {199, 1. / 6},
      {199.6, 0},
      {1e6, 0},  // to a millisecond
  };
  for (const auto& [ms, points] : table) {
    const PointItem item = score_op_time(kAbsolute, with_times({ms}), Device::cuda, {});
    EXPECT_NEAR(item.points, points, 1e-9) << ms;
    EXPECT_EQ(item.max_points, 20);
    EXPECT_FALSE(item.open);
  }
}

TEST(ScoreOpTime, IsTheSumOverTheLayersAndSaysSo) {
  const PointItem item = score_op_time(kAbsolute, with_times({60, 80}), Device::cuda, {});
  EXPECT_NEAR(item.points, 10, 1e-9);
  EXPECT_EQ(report::sentence_of(item.reason),
            "sum of Op Times 140 ms; full points up to 80 ms, none from 200 ms");
  EXPECT_EQ(item.name, "Op Time m/100");
}

TEST(ScoreOpTime, EqualBoundsAreAStep) {
  const OpTimeRule step{"m", 100, 20, {80}, {80}};
  EXPECT_EQ(score_op_time(step, with_times({80}), Device::cpu, {}).points, 20);
  EXPECT_EQ(score_op_time(step, with_times({80.3}), Device::cpu, {}).points, 0);
}

TEST(ScoreOpTime, MultiplesOfTheReference) {
  const OpTimeRule rule{"m", 100, 20, {2, kReference}, {4, kReference}};  // 20 ms and 40 ms
  EXPECT_EQ(score_op_time(rule, with_times({19}), Device::cpu, {10}).points, 20);
  EXPECT_NEAR(score_op_time(rule, with_times({30}), Device::cpu, {10}).points, 10, 1e-9);
  EXPECT_EQ(score_op_time(rule, with_times({41}), Device::cpu, {10}).points, 0);
  EXPECT_THAT(report::sentence_of(score_op_time(rule, with_times({30}), Device::cpu, {10}).reason),
              HasSubstr("the reference takes 10 ms here"));
  const PointItem missing = score_op_time(rule, with_times({30}), Device::cpu, {});
  EXPECT_TRUE(missing.open);
  EXPECT_EQ(missing.points, 0);
}

TEST(ScoreOpTime, OneBoundInMsAndOneInMultiples) {
  const OpTimeRule rule{"m", 100, 20, {50}, {10, kReference}};  // 50 ms and 100 ms
  EXPECT_NEAR(score_op_time(rule, with_times({75}), Device::cpu, {10}).points, 10, 1e-9);
  // A reference so fast that zero lies before full: full still counts.
  EXPECT_EQ(score_op_time(rule, with_times({40}), Device::cpu, {1}).points, 20);
  EXPECT_EQ(score_op_time(rule, with_times({60}), Device::cpu, {1}).points, 0);
}

TEST(ScoreOpTime, ARateIsATimeByTheWorkOfTheCase) {
  // 3e9 bytes at 300 GB/s take 10 ms, at 100 GB/s 30 ms.
  OpTimeRule rule{"m", 100, 20, {300, TimeBound::Unit::gbyte_s}, {100, TimeBound::Unit::gbyte_s}};
  const BoundUnits units{.work = {.bytes = 3e9, .flops = 6e9}};
  const auto points = [&](double ms) {
    return score_op_time(rule, with_times({ms}), Device::cuda, units).points;
  };
  EXPECT_EQ(points(10), 20);
  EXPECT_NEAR(points(20), 10, 1e-9);
  EXPECT_EQ(points(30), 0);
  EXPECT_EQ(
      report::sentence_of(score_op_time(rule, with_times({20}), Device::cuda, units).reason),
      "sum of Op Times 20 ms; full points up to 10 ms (300 GB/s), none from 30 ms (100 GB/s)");
  rule.full = rule.zero = {600, TimeBound::Unit::gflop_s};  // 6e9 operations: 10 ms
  EXPECT_EQ(points(10), 20);
  EXPECT_EQ(points(10.1), 0);
  const PointItem unknown = score_op_time(rule, with_times({1}), Device::cuda, {});
  EXPECT_TRUE(unknown.open);
  EXPECT_EQ(report::sentence_of(unknown.reason),
            "the task counts no work from which 600 GFLOP/s would be a time");
}

TEST(ScoreOpTime, PointsBySpeed) {
  OpTimeRule rule{"m", 100, 20, {10}, kNever};
  rule.between = OpTimeRule::Between::speed;
  const auto item = [&](double ms) {
    return score_op_time(rule, with_times({ms}), Device::cuda, {});
  };
  EXPECT_EQ(item(9).points, 20);
  EXPECT_NEAR(item(40).points, 5, 1e-9) << "full / time";
  EXPECT_EQ(report::sentence_of(item(40).reason),
            "sum of Op Times 40 ms; full points up to 10 ms, then the share 10 / 40 = 0.25");
  EXPECT_EQ(report::sentence_of(item(9).reason),
            "sum of Op Times 9 ms; full points up to 10 ms, then in proportion to the speed");
  rule.zero = {40};  // a quarter of the speed
  EXPECT_EQ(item(40).points, 0);
  EXPECT_NEAR(item(16).points, 10, 1e-9) << "speed 5/8 lies halfway between 1/4 and 1";
  EXPECT_EQ(
      report::sentence_of(item(16).reason),
      "sum of Op Times 16 ms; full points up to 10 ms, none from 40 ms, between both by speed");
}

TEST(ScoreOpTime, ASpeedUpIsOverTheSerialSolution) {
  constexpr auto kSerial = TimeBound::Unit::serial;
  OpTimeRule rule{"m", 100, 20, {0.125, kSerial}, {1, kSerial}};
  rule.between = OpTimeRule::Between::speed;
  const BoundUnits units{.reference_ms = 1, .serial_ms = 80};
  const auto item = [&](double ms) {
    return score_op_time(rule, with_times({ms}), Device::cpu, units);
  };
  EXPECT_EQ(item(5).points, 20);
  EXPECT_EQ(item(10).points, 20) << "8 times as fast";
  EXPECT_NEAR(item(20).points, 20. * 3 / 7, 1e-9) << "4 times as fast: linear from 1 to 8";
  EXPECT_EQ(item(80).points, 0);
  EXPECT_EQ(
      report::sentence_of(item(20).reason),
      "sum of Op Times 20 ms; full points up to 10 ms, none from 80 ms, between both by speed "
      "(the serial solution takes 80 ms here: a speed-up of 4)");
  const PointItem missing = score_op_time(rule, with_times({1}), Device::cpu, {.reference_ms = 1});
  EXPECT_TRUE(missing.open);
  EXPECT_EQ(missing.points, 0);
  EXPECT_EQ(report::sentence_of(missing.reason), "the serial solution's time is missing");
  rule.full = rule.zero = {1, TimeBound::Unit::reference};
  EXPECT_EQ(report::sentence_of(
                score_op_time(rule, with_times({1}), Device::cpu, {.serial_ms = 80}).reason),
            "the reference solution's time is missing");
}

TEST(ScoreOpTime, AShareOfWhatTheGpuCanDo) {
  constexpr auto kRoofline = TimeBound::Unit::roofline;
  OpTimeRule rule{"m", 100, 20, {0.5, kRoofline}, {0.1, kRoofline}};
  const BoundUnits units{.work = {.bytes = 48e9, .flops = 1, .least_ms = 10}};
  const auto item = [&](double ms) {
    return score_op_time(rule, with_times({ms}), Device::cuda, units);
  };
  EXPECT_EQ(item(20).points, 20);
  EXPECT_NEAR(item(60).points, 10, 1e-9);
  EXPECT_EQ(item(100).points, 0);
  EXPECT_EQ(report::sentence_of(item(60).reason),
            "sum of Op Times 60 ms; full points up to 20 ms (0.5 of roofline), none from 100 ms "
            "(0.1 of roofline)");
  const PointItem unknown = score_op_time(rule, with_times({1}), Device::cuda, {});
  EXPECT_TRUE(unknown.open);
  EXPECT_EQ(report::sentence_of(unknown.reason),
            "the task counts no work, or the rates of this GPU are not known, by which 0.5 of "
            "roofline would be a time");
}

TEST(GpuRates, AreFoundByTheDriversName) {
  EXPECT_EQ(rates_of_gpu("NVIDIA H200"), &gpu_rates("H200"));
  EXPECT_EQ(rates_of_gpu("NVIDIA A100-SXM4-80GB"), &gpu_rates("A100"));
  EXPECT_EQ(rates_of_gpu("NVIDIA A40"), &gpu_rates("A40"));
  EXPECT_EQ(rates_of_gpu("NVIDIA GeForce RTX 4060 Laptop GPU"), &gpu_rates("RTX 4060 Laptop"));
  for (const char* other : {"", "NVIDIA RTX A4000", "NVIDIA A100X", "Tesla T4"})
    EXPECT_EQ(rates_of_gpu(other), nullptr) << other;
  EXPECT_NEAR(gpu_rates("H200").fp32_per_second(), 67e12, 1e12) << "its datasheet";
}

TEST(GpuRates, BoundATimeByBytesOrByTheTasksOperations) {
  const GpuRates& gpu = gpu_rates("A40");  // 696 GB/s, 37.4 TFLOP/s of float and 1/64 of double
  for (const Operations of : {Operations::fp32, Operations::fp64, Operations::others})
    EXPECT_NEAR(gpu.least_ms(696e6, 0, of), 1, 1e-9) << "bytes alone";
  const double flops = gpu.flops_per_second(Operations::fp32) / 1000;
  EXPECT_NEAR(gpu.least_ms(1, flops, Operations::fp32), 1, 1e-9);
  EXPECT_NEAR(gpu.least_ms(1, flops, Operations::fp64), 64, 1e-9);
  EXPECT_EQ(gpu.least_ms(1e9, flops, Operations::others), 0) << "nobody knows";
}

TEST(PointsByTime, AreTheRulesAtTenTimes) {
  using enum TimeBound::Unit;
  const auto text = [](TimeBound full, TimeBound zero, OpTimeRule::Between between) {
    OpTimeRule rule{"m", 100, 18, full, zero};
    rule.between = between;
    return points_by_time(rule);
  };
  EXPECT_EQ(text({10}, {100}, OpTimeRule::Between::time),
            "10 ms 18, 20 ms 16, 30 ms 14, 40 ms 12, 50 ms 10, 60 ms 8, 70 ms 6, 80 ms 4, 90 ms 2, "
            "100 ms 0");
  EXPECT_EQ(text({1, reference}, kNever, OpTimeRule::Between::speed),
            "1 x reference 18, 2 x reference 9, 3 x reference 6, 4 x reference 4.5, 5 x reference "
            "3.6, 6 x reference 3, 7 x reference 2.57, 8 x reference 2.25, 9 x reference 2, 10 x "
            "reference 1.8");
  EXPECT_EQ(text({300, gbyte_s}, {30, gbyte_s}, OpTimeRule::Between::time).substr(0, 24),
            "300 GB/s 18, 150 GB/s 16");
  EXPECT_EQ(text({10}, {3, reference}, OpTimeRule::Between::time), "") << "only a run knows";
  EXPECT_EQ(text({10}, {10}, OpTimeRule::Between::time), "") << "one limit needs no table";
  OpTimeRule slope{"", 0, 18};
  slope.slope = {.over = "n", .full = 1.1, .zero = 2, .below = {3, reference}};
  EXPECT_EQ(points_by_time(slope),
            "slope 1.1 18, slope 1.2 16, slope 1.3 14, slope 1.4 12, slope 1.5 10, slope 1.6 8, "
            "slope 1.7 6, slope 1.8 4, slope 1.9 2, slope 2 0");
}

TEST(ScoreOpTime, NoFormulaRewardsAGreaterTime) {
  using enum TimeBound::Unit;
  const BoundUnits units{.reference_ms = 7, .work = {2e9, 5e9, 2}, .serial_ms = 30};
  const TimeBound bounds[] = {{5},           {50},           {1, reference},   {6, reference},
                              {40, gbyte_s}, {400, gbyte_s}, {90, gflop_s},    {900, gflop_s},
                              {0.2, serial}, {3, serial},    {0.02, roofline}, {0.7, roofline},
                              kNever};
  for (const TimeBound& full : bounds) {
    for (const TimeBound& zero : bounds) {
      for (const auto between : {OpTimeRule::Between::time, OpTimeRule::Between::speed}) {
        if (full == kNever || (zero == kNever && between == OpTimeRule::Between::time)) continue;
        OpTimeRule rule{"m", 100, 20, full, zero};
        rule.between = between;
        double before = 20;
        for (double ms = 0.01; ms < 1e5; ms *= 1.1) {
          const double points = score_op_time(rule, with_times({ms}), Device::cuda, units).points;
          EXPECT_GE(points, 0) << bound_text(full) << " to " << bound_text(zero) << ": " << ms;
          EXPECT_LE(points, before) << bound_text(full) << " to " << bound_text(zero) << ": " << ms;
          before = points;
        }
      }
    }
  }
}

constexpr std::array kTogether{Together::sum, Together::geometric_mean, Together::each,
                               Together::worst};

/// Of three cases.
OpTimeRule three_cases(Together together, TimeBound full, TimeBound zero) {
  OpTimeRule rule{"", 0, 20, full, zero};
  rule.cases = {"small", "medium", "large"};
  rule.together = together;
  return rule;
}

/// Their references take 1, 4 and 16 ms, the serial solutions 5, 20 and 90 ms.
PointItem score_three(const OpTimeRule& rule, const std::array<double, 3>& ms) {
  const CaseReport reports[] = {with_times({ms[0]}), with_times({ms[1]}), with_times({ms[2]})};
  return score_op_times(rule,
                        {{&reports[0], {1, {.bytes = 1e9, .flops = 1e9}, 5}},
                         {&reports[1], {4, {.bytes = 4e9, .flops = 2e9}, 20}},
                         {&reports[2], {16, {.bytes = 9e9, .flops = 5e9}, 90}}},
                        Device::cuda);
}

TEST(ScoreOpTimes, CasesTogetherByHand) {
  const TimeBound full{1, kReference}, zero{3, kReference};
  const auto item = [&](Together together, const std::array<double, 3>& ms) {
    return score_three(three_cases(together, full, zero), ms);
  };
  for (const Together together : kTogether) {
    EXPECT_EQ(item(together, {1, 4, 16}).points, 20);
    EXPECT_EQ(item(together, {3, 12, 48}).points, 0);
    EXPECT_EQ(item(together, {1, 4, 16}).name, "Op Time small, medium, large together");
  }
  // The references' sum is 21 ms, their geometric mean 4 ms.
  EXPECT_NEAR(item(Together::sum, {1, 4, 37}).points, 10, 1e-9);
  EXPECT_NEAR(item(Together::geometric_mean, {2, 8, 32}).points, 10, 1e-9);
  EXPECT_NEAR(item(Together::each, {1, 8, 48}).points, 10, 1e-9);
  EXPECT_NEAR(item(Together::worst, {1, 8, 16}).points, 10, 1e-9);
  EXPECT_EQ(report::sentence_of(item(Together::sum, {1, 4, 37}).reason),
            "sum of Op Times 42 ms (small 1 ms, medium 4 ms, large 37 ms); full points up to 21 "
            "ms, none from 63 ms: share 0.5");
  EXPECT_EQ(report::sentence_of(item(Together::geometric_mean, {2, 8, 32}).reason),
            "geometric mean of Op Times 8 ms (small 2 ms, medium 8 ms, large 32 ms); full points "
            "up to 4 ms, none from 12 ms: share 0.5");
  EXPECT_EQ(report::sentence_of(item(Together::each, {1, 8, 48}).reason),
            "mean of the cases' shares 0.5: small 1 (1 ms; full points up to 1 ms, none from 3 "
            "ms), medium 0.5 (8 ms; full points up to 4 ms, none from 12 ms), large 0 (48 ms; full "
            "points up to 16 ms, none from 48 ms)");
  EXPECT_THAT(report::sentence_of(item(Together::worst, {1, 8, 16}).reason),
              HasSubstr("least of the cases' shares 0.5: small 1 (1 ms"));
}

TEST(ScoreOpTimes, AFormulaBySpeedSaysSo) {
  OpTimeRule rule = three_cases(Together::sum, {21}, {84});
  rule.between = OpTimeRule::Between::speed;
  EXPECT_EQ(report::sentence_of(score_three(rule, {1, 4, 37}).reason),
            "sum of Op Times 42 ms (small 1 ms, medium 4 ms, large 37 ms); full points up to 21 "
            "ms, none from 84 ms, between both by speed: share 0.333");
  rule.zero = kNever;
  EXPECT_EQ(report::sentence_of(score_three(rule, {1, 4, 37}).reason),
            "sum of Op Times 42 ms (small 1 ms, medium 4 ms, large 37 ms); full points up to 21 "
            "ms, between both by speed: share 0.5");
}

TEST(ScoreOpTimes, ATimeBoundsTheCasesTogetherAndARateEach) {
  EXPECT_EQ(score_three(three_cases(Together::sum, {42}, {42}), {1, 4, 37}).points, 20);
  EXPECT_EQ(score_three(three_cases(Together::sum, {41}, {41}), {1, 4, 37}).points, 0);
  EXPECT_EQ(score_three(three_cases(Together::geometric_mean, {8}, {8}), {2, 8, 32}).points, 20);
  EXPECT_EQ(score_three(three_cases(Together::worst, {37}, {37}), {1, 4, 37}).points, 20);
  EXPECT_EQ(score_three(three_cases(Together::worst, {36}, {36}), {1, 4, 37}).points, 0);
  const TimeBound rate{1000, TimeBound::Unit::gbyte_s};  // 1, 4 and 9 ms
  EXPECT_EQ(score_three(three_cases(Together::sum, rate, rate), {1, 4, 9}).points, 20);
  EXPECT_EQ(score_three(three_cases(Together::sum, rate, rate), {1, 4, 10}).points, 0);
}

TEST(ScoreOpTimes, ACaseThatIsNotRightCostsItsShareOrAll) {
  const CaseReport right = with_times({1}), wrong = with_outcome(Outcome::wrong_output),
                   missing = with_outcome(Outcome::not_run);
  for (const auto together : kTogether) {
    const OpTimeRule rule = three_cases(together, {2}, {4});
    const bool each = together == Together::each;
    const PointItem one_wrong = score_op_times(rule, {{&right}, {&wrong}, {&right}}, Device::cuda);
    EXPECT_FALSE(one_wrong.open);
    EXPECT_NEAR(one_wrong.points, each ? 40. / 3 : 0, 1e-9);
    const PointItem one_missing =
        score_op_times(rule, {{&right}, {&missing}, {&right}}, Device::cuda);
    EXPECT_TRUE(one_missing.open);
    EXPECT_EQ(one_missing.points, 0);
    // With a wrong case there is nothing left to wait for, unless each has its own share.
    EXPECT_EQ(score_op_times(rule, {{&wrong}, {&missing}, {&right}}, Device::cuda).open, each);
    EXPECT_TRUE(score_op_times(rule, {{&right}, {&right}, {&right}}, Device::emulated).open);
  }
}

/// Each pair of bounds that a config may have, by time and by speed.
std::vector<OpTimeRule> rules_of_each_formula() {
  using enum TimeBound::Unit;
  const TimeBound bounds[] = {{5},           {50},          {1, reference}, {6, reference},
                              {40, gbyte_s}, {90, gflop_s}, {0.2, serial},  {3, serial},
                              kNever};
  std::vector<OpTimeRule> rules;
  for (const Together together : kTogether)
    for (const TimeBound& full : bounds)
      for (const TimeBound& zero : bounds)
        for (const auto between : {OpTimeRule::Between::time, OpTimeRule::Between::speed}) {
          if (full == kNever || (zero == kNever && between == OpTimeRule::Between::time)) continue;
          rules.push_back(three_cases(together, full, zero));
          rules.back().between = between;
        }
  return rules;
}

TEST(ScoreOpTimes, NoFormulaRewardsAGreaterTimeOfAnyCase) {
  for (const OpTimeRule& rule : rules_of_each_formula()) {
    for (std::size_t grown = 0; grown < 3; ++grown) {
      std::array<double, 3> times{2, 9, 30};
      double before = 20;
      for (double ms = 0; ms < 1e4; ms = ms * 2.3 + 0.01) {
        times[grown] = ms;
        const double points = score_three(rule, times).points;
        ASSERT_TRUE(points >= 0 && points <= before * (1 + 1e-12))
            << name_of(rule.together) << ", " << bound_text(rule.full) << " to "
            << bound_text(rule.zero) << ": " << points << " points at " << ms;
        before = points;
      }
    }
  }
}

/// Over sizes 1000, 2000 and 4000; full up to 1, none from 2, below `below`.
PointItem score_by_slope(const std::array<double, 3>& ms, TimeBound below,
                         Outcome of_last = Outcome::passed) {
  OpTimeRule rule = three_cases(Together::each, {}, {});
  rule.slope = {.over = "n", .full = 1, .zero = 2, .below = below};
  const CaseReport reports[] = {
      with_times({ms[0]}), with_times({ms[1]}),
      of_last == Outcome::passed ? with_times({ms[2]}) : with_outcome(of_last)};
  return score_op_times(rule,
                        {{&reports[0], {.reference_ms = 1}, 1000},
                         {&reports[1], {.reference_ms = 2}, 2000},
                         {&reports[2], {.reference_ms = 4}, 4000}},
                        Device::cuda);
}

TEST(ScoreSlope, ByHand) {
  EXPECT_EQ(score_by_slope({1, 2, 4}, {1000}).points, 20) << "in proportion to the size";
  EXPECT_EQ(score_by_slope({1, 1.5, 3}, {1000}).points, 20);
  EXPECT_EQ(score_by_slope({1, 4, 16}, {1000}).points, 0) << "by its square";
  EXPECT_EQ(score_by_slope({1, 8, 64}, {1000}).points, 0);
  EXPECT_NEAR(score_by_slope({1, 2.828, 8}, {1000}).points, 10, 1e-9);
  EXPECT_NEAR(score_by_slope({1, 4, 8}, {1000}).points, 10, 1e-9)
      << "the one in the middle has no weight";
  EXPECT_EQ(report::sentence_of(score_by_slope({1, 2.828, 8}, {1000}).reason),
            "slope 1.5 of log Op Time over log n (small 1 ms, medium 2.828 ms, large 8 ms); full "
            "points up to 1, none from 2: share 0.5");
}

TEST(ScoreSlope, NoCaseThatIsSlowAtItsSizeMakesItSmaller) {
  // Slowed from 1 to 4 ms, the small case would make a slope of 1.5 one of 0.5.
  EXPECT_EQ(score_by_slope({4, 4, 8}, {1000}).points, 20);
  const TimeBound below{3, kReference};  // 3, 6 and 12 ms
  const PointItem slowed = score_by_slope({4, 4, 8}, below);
  EXPECT_EQ(slowed.points, 0);
  EXPECT_FALSE(slowed.open);
  EXPECT_EQ(report::sentence_of(slowed.reason),
            "the slope has no points: small takes 4 ms, and must take less than 3 ms");
  for (const auto& times :
       {std::array{3., 4., 8.}, std::array{1., 6., 8.}, std::array{1., 2., 12.}})
    EXPECT_EQ(score_by_slope(times, below).points, 0);
  EXPECT_EQ(score_by_slope({2.9, 5.8, 11.6}, below).points, 20);
  EXPECT_NEAR(score_by_slope({1, 2.828, 8}, below).points, 10, 1e-9);
  // Whatever the other two take, the largest case does not gain by a greater time.
  for (const double small : {0.5, 1., 2.9})
    for (const double medium : {0.5, 2., 5.9}) {
      double before = 20;
      for (double large = 0; large < 100; large = large * 1.3 + 0.01) {
        const double points = score_by_slope({small, medium, large}, below).points;
        EXPECT_LE(points, before) << small << ' ' << medium << ' ' << large;
        before = points;
      }
    }
}

TEST(ScoreSlope, NeedsEachCaseAndItsBound) {
  EXPECT_TRUE(score_by_slope({1, 2, 4}, {1000}, Outcome::not_run).open);
  const PointItem wrong = score_by_slope({1, 2, 4}, {1000}, Outcome::wrong_output);
  EXPECT_EQ(wrong.points, 0);
  EXPECT_FALSE(wrong.open);
  EXPECT_EQ(wrong.reason.about, "large");
  const PointItem unknown = score_by_slope({1, 2, 4}, {100, TimeBound::Unit::gbyte_s});
  EXPECT_TRUE(unknown.open);
  EXPECT_TRUE(unknown.reason.is<why::NoWork>());
}

TEST(ScoreSlope, ATimeOfNothingIsAMicrosecond) {
  EXPECT_EQ(score_by_slope({0, 0, 0}, {1000}).points, 20);
  EXPECT_EQ(score_by_slope({0, 1, 5}, {1000}).points, 0) << "no number has no points";
}

TEST(ScoreOpTime, NoPointsForSpeedWithoutRightOutputs) {
  for (const auto& entry : kOutcomes) {
    if (entry.outcome == Outcome::passed) continue;
    const bool open = entry.outcome == Outcome::not_run || entry.outcome == Outcome::grader_fault ||
                      entry.outcome == Outcome::not_credible ||
                      entry.outcome == Outcome::not_emulated;
    // Open points say that a GPU can still give them: it gives none to a wrong case either.
    for (const Device device : {Device::cuda, Device::emulated}) {
      CaseReport report = with_times({1});
      report.outcome = entry.outcome;
      const PointItem item = score_op_time(kAbsolute, report, device, {10});
      EXPECT_EQ(item.points, 0) << entry.id;
      EXPECT_EQ(item.open, open) << entry.id << " on " << name_of(device);
      EXPECT_FALSE(item.reason.empty()) << entry.id;
    }
  }
}

TEST(ScoreOpTime, TheEmulatedDeviceHasNone) {
  const PointItem item = score_op_time(kAbsolute, with_times({1}), Device::emulated, {10});
  EXPECT_EQ(item.points, 0);
  EXPECT_TRUE(item.open);
}

TEST(ScoreOpTime, WithoutATimeItIsOpenUnlessTheFirstCallWasTooSlow) {
  CaseReport untimed = with_times({1});
  untimed.calls[0].timed = false;
  EXPECT_TRUE(score_op_time(kAbsolute, untimed, Device::cuda, {10}).open);
  untimed.calls[0].too_slow = true;
  const PointItem item = score_op_time(kAbsolute, untimed, Device::cuda, {10});
  EXPECT_EQ(item.points, 0);
  EXPECT_FALSE(item.open);
  EXPECT_EQ(item.reason, untimed.reason);
}

TEST(ScoreOpTime, OnAMachineWithTooFewCoresItIsOpen) {
  CaseReport c = with_times({1});
  c.calls[0].timed = false;
  c.untimed = why::TooFewCores{8, 2};
  const PointItem item = score_op_time(kAbsolute, c, Device::cpu, {10});
  EXPECT_TRUE(item.open);
  EXPECT_EQ(item.points, 0);
  EXPECT_EQ(report::sentence_of(item.reason),
            "not timed: the case has 8 threads, and opgrade may use 2 cores here");
}

TEST(ScoreOpTime, ATimeThatIsNoNumberEarnsNothing) {
  for (const double ms :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(score_op_time(kAbsolute, with_times({ms}), Device::cuda, {}).points, 0) << ms;
  }
}

Grade grade_of(std::vector<CaseReport> cases) {
  Grade grade;
  StageReport stage{.name = "cpu", .title = "CPU convolution"};
  stage.build.outcome = Outcome::passed;
  stage.cases = std::move(cases);
  grade.stages = {stage};
  return grade;
}

CaseReport worth(double points, double max, Outcome outcome = Outcome::passed, bool open = false) {
  CaseReport report = with_outcome(outcome);
  report.id = "cpu/m/1";
  report.points = {{"right outputs", points, max, text_reason("because"), open}};
  return report;
}

TEST(FinishGrade, AddsUpCasesAndStages) {
  Grade grade = grade_of({worth(5, 10), worth(0, 3, Outcome::not_run, true)});
  grade.stages[0].points = {{"Op Time", 1.5, 2, {}, false}, {"Op Time", 0, 4, {}, true}};
  grade.points = 99;  // from an earlier count
  finish_grade(grade, 6.5);
  EXPECT_EQ(grade.points, 6.5);
  EXPECT_EQ(grade.max_points, 19);
  EXPECT_EQ(grade.open_points, 7);
  EXPECT_EQ(grade.pass_mark, 6.5);
  EXPECT_TRUE(grade.passed);
}

// Who repeats a case of a larger check, as its report says how to, must be able to pass.
TEST(FinishGrade, OfChosenCasesTheirShareOfTheMarkIsAsked) {
  Grade right = grade_of({worth(50, 50)});
  finish_grade(right, 100, 200);
  EXPECT_EQ(right.pass_mark, 25);
  EXPECT_TRUE(right.passed);
  Grade wrong = grade_of({worth(0, 50)});
  finish_grade(wrong, 100, 200);
  EXPECT_FALSE(wrong.passed);
  finish_grade(right, 100, 50);
  EXPECT_EQ(right.pass_mark, 100) << "all could be had";
  finish_grade(right, 100, 0);
  EXPECT_EQ(right.pass_mark, 100);
}

TEST(FinishGrade, ChosenCasesWithoutPointsPassWhenTheyAreRight) {
  Grade grade = grade_of({worth(0, 0)});
  finish_grade(grade, 10, 10);
  EXPECT_TRUE(grade.passed);
  grade.stages[0].cases[0].outcome = Outcome::wrong_output;
  finish_grade(grade, 10, 10);
  EXPECT_FALSE(grade.passed);
}

TEST(FinishGrade, WithoutAMarkNothingMayBeWrong) {
  Grade wrong = grade_of({worth(5, 5), worth(0, 5, Outcome::wrong_output)});
  finish_grade(wrong, 0);
  EXPECT_FALSE(wrong.passed);
  Grade slow = grade_of({worth(5, 5), worth(0, 5)});
  finish_grade(slow, 0);
  EXPECT_TRUE(slow.passed);
}

TEST(FinishGrade, ATimeInDoubtIsNotWrongAndHidesNothingThatIs) {
  Grade right = grade_of({worth(5, 5, Outcome::not_credible), worth(5, 5)});
  finish_grade(right, 0);
  EXPECT_TRUE(right.passed);
  EXPECT_EQ(right.outcome, Outcome::not_credible);
  Grade wrong = grade_of({worth(5, 5, Outcome::not_credible), worth(0, 5, Outcome::wrong_output)});
  finish_grade(wrong, 0);
  EXPECT_FALSE(wrong.passed);
  EXPECT_EQ(wrong.outcome, Outcome::wrong_output);
}

TEST(FinishGrade, WhatIsNotEmulatedIsOpenAndHidesNothingThatIsWrong) {
  Grade open = grade_of({worth(5, 5), worth(0, 5, Outcome::not_emulated, true)});
  finish_grade(open, 10);
  EXPECT_FALSE(open.passed);
  EXPECT_EQ(open.outcome, Outcome::not_emulated);
  EXPECT_EQ(open.points, 5);
  EXPECT_EQ(open.open_points, 5);
  Grade wrong =
      grade_of({worth(0, 5, Outcome::not_emulated, true), worth(0, 5, Outcome::wrong_output)});
  finish_grade(wrong, 0);
  EXPECT_EQ(wrong.outcome, Outcome::wrong_output);
  Grade slow =
      grade_of({worth(5, 5, Outcome::not_credible), worth(0, 5, Outcome::not_emulated, true)});
  finish_grade(slow, 0);
  EXPECT_EQ(slow.outcome, Outcome::not_emulated);
  EXPECT_FALSE(slow.passed) << "without a mark too, it earns nothing by that";
}

TEST(FinishGrade, RoundingAtThePassMark) {
  // 0.1 + 0.2 is above 0.3 and 0.8 - 0.1 - ... below: no student loses by that.
  Grade up = grade_of({worth(0.1, 0.1), worth(0.2, 0.2)});
  finish_grade(up, 0.3);
  EXPECT_TRUE(up.passed);
  std::vector<CaseReport> tenths(10, worth(0.1, 0.1));
  Grade down = grade_of(tenths);
  finish_grade(down, 1);  // ten times 0.1 is 0.9999999999999999
  EXPECT_TRUE(down.passed);
  Grade below = grade_of({worth(0.999999, 1)});
  finish_grade(below, 1);
  EXPECT_FALSE(below.passed);
}

TEST(FinishGrade, TheFirstThingThatWentWrongIsTheVerdict) {
  Grade grade =
      grade_of({worth(1, 1), worth(0, 1, Outcome::crashed), worth(0, 1, Outcome::wrong_output)});
  finish_grade(grade, 0);
  EXPECT_EQ(grade.outcome, Outcome::crashed);
  EXPECT_EQ(report::sentence_of(grade.reason), "cpu/m/1: what happened");
}

TEST(FinishGrade, AWarningCostsNothingAndIsTheReason) {
  CaseReport warned = with_outcome(Outcome::passed);
  warned.id = "gpu/random";
  warned.reason = text_reason("right here; a GPU may hide this: fix a.cu:44");
  warned.findings = {{"data_race", "tiled", "a.cu", 44, "Nothing orders the two accesses."}};
  warned.points = {score_case(10, warned, Device::emulated, true)};
  EXPECT_EQ(warned.points[0].points, 10);
  EXPECT_EQ(warned.points[0].reason, warned.reason);
  Grade grade;
  grade.stages.resize(1);
  grade.stages[0].cases = {warned};
  finish_grade(grade, 10);
  EXPECT_TRUE(grade.passed);
  EXPECT_EQ(grade.outcome, Outcome::passed);
  EXPECT_EQ(report::sentence_of(grade.reason), "gpu/random: " + report::sentence_of(warned.reason));
  grade.stages[0].cases[0].hidden = true;
  finish_grade(grade, 10);
  EXPECT_EQ(report::sentence_of(grade.reason), "every case that ran is right");
}

TEST(FinishGrade, AllRight) {
  Grade grade = grade_of({worth(1, 1), worth(0, 1, Outcome::not_run, true)});
  finish_grade(grade, 1);
  EXPECT_EQ(grade.outcome, Outcome::passed);
  EXPECT_TRUE(grade.passed);
  EXPECT_TRUE(grade.reason.is<why::AllRight>()) << "the case that did not run is not wrong";
}

TEST(FinishGrade, NothingRunIsNeitherPassedNorWrong) {
  Grade grade = grade_of({worth(0, 5, Outcome::not_run, true)});
  grade.stages[0].build.outcome = Outcome::not_run;
  finish_grade(grade, 3);
  EXPECT_EQ(grade.outcome, Outcome::not_run);
  EXPECT_FALSE(grade.passed);
  EXPECT_EQ(grade.open_points, 5);
}

TEST(FinishGrade, AFailedBuildIsTheVerdict) {
  Grade grade = grade_of({worth(0, 5, Outcome::build_failed)});
  grade.stages[0].build = {.outcome = Outcome::build_failed,
                           .reason = text_reason("the compiler refused it")};
  finish_grade(grade, 3);
  EXPECT_EQ(grade.outcome, Outcome::build_failed);
  EXPECT_EQ(report::sentence_of(grade.reason), "CPU convolution: the compiler refused it");
}

TEST(FinishGrade, AFaultOfTheGraderOverridesEverything) {
  Grade grade = grade_of(
      {worth(5, 5), worth(0, 5, Outcome::wrong_output), worth(0, 5, Outcome::grader_fault, true)});
  finish_grade(grade, 0);
  EXPECT_EQ(grade.outcome, Outcome::grader_fault);
  EXPECT_FALSE(grade.passed);
  EXPECT_EQ(grade.open_points, 5);
}

TEST(FinishGrade, AHiddenCaseGivesNothingAwayInTheVerdict) {
  CaseReport hidden = worth(0, 5, Outcome::wrong_output);
  hidden.hidden = true;
  hidden.id = "cpu/secret/77";
  hidden.reason = text_reason("conv1: 3 of 7 elements are wrong");
  Grade grade = grade_of({hidden});
  finish_grade(grade, 5);
  EXPECT_EQ(grade.outcome, Outcome::wrong_output);
  EXPECT_THAT(report::sentence_of(grade.reason), testing::Not(HasSubstr("secret")));
  EXPECT_THAT(report::sentence_of(grade.reason), testing::Not(HasSubstr("of 7")));
}

/// A right case and one that nobody asked for.
Grade with_advice(Outcome outcome) {
  Grade grade;
  StageReport stage{.name = "cpu"};
  stage.build.outcome = Outcome::passed;
  CaseReport right = with_outcome(Outcome::passed);
  right.points = {score_case(10, right, Device::cpu, true)};
  CaseReport advice = with_outcome(outcome);
  advice.advice = true;
  stage.cases = {right, advice};
  grade.stages = {stage};
  return grade;
}

TEST(FinishGrade, AdviceChangesNothingWhateverItsOutcome) {
  for (const double mark : {0.0, 10.0}) {
    for (const auto& entry : kOutcomes) {
      Grade grade = with_advice(entry.outcome);
      finish_grade(grade, mark);
      EXPECT_TRUE(grade.passed) << entry.id;
      EXPECT_EQ(grade.outcome, Outcome::passed) << entry.id;
      EXPECT_EQ(grade.points, 10) << entry.id;
      EXPECT_EQ(grade.open_points, 0) << entry.id;
    }
  }
  Grade grade = with_advice(Outcome::crashed);
  finish_grade(grade, 0);
  EXPECT_EQ(report::sentence_of(grade.reason), "every case that counts is right");
}

TEST(ScoreStage, AdviceHasNoPoints) {
  StageConfig stage;
  stage.name = "m3";
  stage.random_shapes = {{.advice = true}, 1};
  stage.random_batches = {{.points = 4}, "high", 1};
  StageReport report;
  report.cases = {with_outcome(Outcome::passed), with_outcome(Outcome::passed)};
  report.cases[0].id = random_id(stage);
  report.cases[1].id = batches_id(stage);
  score_stage(stage, report, true, {[](const OpTimeRule&) { return std::nullopt; }});
  EXPECT_TRUE(report.cases[0].points.empty());
  ASSERT_EQ(report.cases[1].points.size(), 1U);
  EXPECT_EQ(report.cases[1].points[0].points, 4);
  EXPECT_EQ(graded_points(stage), 4);
}

/// A right case whose only layer took `ms`.
CaseReport timed_case(const char* model, int batch, double ms) {
  CaseReport c = with_times({ms});
  c.id = "gpu/" + case_name(model, batch);
  c.model = model;
  c.batch = batch;
  return c;
}

/// Full points up to 1 ms or times the reference, none from 2 on.
OpTimeRule op_time_rule(const char* model, int batch, double points,
                        TimeBound::Unit unit = TimeBound::Unit::ms) {
  return {.model = model, .batch = batch, .points = points, .full = {1, unit}, .zero = {2, unit}};
}

TEST(ScoreStage, AnOpTimeCountsForTheRuleOfItsModelAndBatch) {
  StageConfig stage{.name = "gpu"};
  stage.op_times = {op_time_rule("high", 1000, 1), op_time_rule("high", 100, 2),
                    op_time_rule("high", 10000, 4), op_time_rule("low", 10000, 8)};
  StageReport report{.name = "gpu", .device = Device::cuda};
  report.cases = {timed_case("low", 10000, 5), timed_case("high", 100, 5),
                  timed_case("high", 10000, 0.5)};
  score_stage(stage, report, true, {});
  ASSERT_EQ(report.points.size(), 3U) << "the case high/1000 was not chosen";
  EXPECT_EQ(report.points[0].name, "Op Time high/100");
  EXPECT_EQ(report.points[0].points, 0);
  EXPECT_EQ(report.points[1].name, "Op Time high/10000");
  EXPECT_EQ(report.points[1].points, 4);
  EXPECT_EQ(report.points[2].name, "Op Time low/10000");
  EXPECT_EQ(report.points[2].points, 0);
}

/// A count rule and a construct rule of the case large, both without points.
TEST(ScoreStage, ACaseThatBreaksARuleHasNoOpTimeEither) {
  StageConfig stage{.name = "gpu"};
  stage.op_times = {op_time_rule("large", 0, 2), op_time_rule("small", 0, 4)};
  OpTimeRule& together = stage.op_times.emplace_back(op_time_rule("", 0, 8));
  together.cases = {"large", "small"};
  const auto scored = [&](bool counts, bool open) {
    StageConfig rules = stage;
    if (counts)
      rules.counts = {{.model = "large", .count = "launches", .at_most = "0"}};
    else
      rules.constructs = {{.forbidden = "goto", .case_name = "large"}};
    StageReport report{.name = "gpu", .device = Device::cuda};
    report.build.outcome = Outcome::passed;
    report.cases = {timed_case("large", 0, 0.5), timed_case("small", 0, 0.5)};
    score_stage(rules, report, true, {});
    if (!counts)
      score_constructs(rules, {open ? Reason(why::ByStaff{}) : Reason(why::ConstructForbidden{})},
                       report);
    return report;
  };
  for (const bool open : {false, true}) {
    const StageReport report = scored(false, open);
    ASSERT_TRUE(report.cases[0].broken_rule);
    EXPECT_EQ(report.cases[0].broken_rule->open, open);
    EXPECT_FALSE(report.cases[1].broken_rule);
    std::vector<double> points;
    for (const PointItem& item : report.points) points.push_back(item.points);
    EXPECT_THAT(points, testing::ElementsAre(0, 4, 0));
    EXPECT_EQ(report.points[0].open, open);
    EXPECT_FALSE(report.points[1].open);
    EXPECT_EQ(report.points[2].open, open) << "which needs both cases";
  }
  // Nothing was counted, so another machine decides.
  const StageReport uncounted = scored(true, true);
  ASSERT_TRUE(uncounted.cases[0].broken_rule);
  EXPECT_TRUE(uncounted.cases[0].broken_rule->open);
  EXPECT_TRUE(uncounted.points[0].open);
}

/// The item of a rule with other points for late work, for a case that took `ms`.
PointItem item_with_late(const OpTimeRule::Late& late, double ms) {
  StageConfig stage{.name = "gpu"};
  stage.op_times = {op_time_rule("high", 100, 8)};
  stage.op_times[0].late = late;
  StageReport report{.name = "gpu", .device = Device::cuda};
  report.cases = {timed_case("high", 100, ms)};
  score_stage(
      stage, report, true,
      {[](const OpTimeRule&) { return 0.5; }, [](const OpTimeRule&) { return CaseWork{}; }});
  return report.points.at(0);
}

TEST(ScoreStage, LateWorkHasPointsOfItsOwn) {
  const OpTimeRule::Late late{4, {1}, {1.5}};
  EXPECT_EQ(item_with_late(late, 1).points, 8);
  EXPECT_EQ(item_with_late(late, 1).late_points, 4);
  EXPECT_NEAR(item_with_late(late, 1.25).late_points.value(), 2, 1e-9);
  EXPECT_NEAR(item_with_late(late, 1.75).points, 2, 1e-9);
  EXPECT_EQ(item_with_late(late, 1.75).late_points, 0);
  EXPECT_EQ(report::sentence_of(item_with_late(late, 1)),
            "sum of Op Times 1 ms; full points up to 1 ms, none from 2 ms; late work has 4 points");
  Grade grade;
  grade.stages.resize(1);
  grade.stages[0].points = {item_with_late(late, 1), {.name = "report", .points = 3}};
  finish_grade(grade, 0);
  EXPECT_EQ(grade.points, 11);
  EXPECT_EQ(grade.late_points, 7);
  grade.stages[0].points.erase(grade.stages[0].points.begin());
  finish_grade(grade, 0);
  EXPECT_EQ(grade.late_points, std::nullopt) << "no rule speaks of late work";
}

TEST(ScoreStage, EqualPointsOfLateWorkAreNotNamed) {
  const PointItem item = item_with_late({8, {1}, {2}}, 1);
  EXPECT_EQ(item.points, 8);
  EXPECT_EQ(item.late_points, std::nullopt);
}

TEST(ScoreStage, WhatIsUndecidedForLateWorkIsNotLost) {
  const OpTimeRule::Late by_rate{
      4, {0.6, TimeBound::Unit::roofline}, {0.1, TimeBound::Unit::roofline}};
  const PointItem item = item_with_late(by_rate, 1);  // on a device without known rates
  EXPECT_TRUE(item.open);
  EXPECT_EQ(item.points, 0);
  EXPECT_EQ(item.max_points, 8);
  EXPECT_EQ(item.late_points, std::nullopt);
}

TEST(ScoreStage, BeingLateNeverPays) {
  using enum TimeBound::Unit;
  for (const TimeBound& full : {TimeBound{0.5}, {3}, {9}, {1, reference}, {4, reference}})
    for (const TimeBound& zero : {TimeBound{1}, {6}, {20}, {6, reference}, kNever}) {
      double before = 8;
      for (double ms = 0.1; ms < 50; ms *= 1.1) {
        const OpTimeRule::Late late{8, full, zero, OpTimeRule::Between::speed};
        const PointItem item = item_with_late(late, ms);
        const double late_points = item.late_points.value_or(item.points);
        EXPECT_LE(late_points, item.points) << ms;
        EXPECT_LE(late_points, before) << ms << ": more for a greater time";
        EXPECT_GE(late_points, 0) << ms;
        before = late_points;
      }
    }
}

TEST(ScoreStage, TheReferenceIsTimedOnlyForARuleThatCanEarn) {
  const auto asked = [](Outcome outcome, Device device, bool of_reference) {
    StageConfig stage{.name = "gpu"};
    stage.op_times = {
        op_time_rule("high", 100, 2, of_reference ? kReference : TimeBound::Unit::ms)};
    StageReport report{.name = "gpu", .device = device};
    report.cases = {timed_case("high", 100, 3)};
    report.cases[0].outcome = outcome;
    int count = 0;
    score_stage(stage, report, true, {[&](const OpTimeRule& rule) {
                  EXPECT_EQ(rule.batch, 100);
                  ++count;
                  return std::optional(3.0);
                }});
    EXPECT_EQ(report.points.at(0).points, count == 1 ? 2 : 0);
    return count;
  };
  EXPECT_EQ(asked(Outcome::passed, Device::cuda, true), 1);
  EXPECT_EQ(asked(Outcome::passed, Device::cuda, false), 0);
  EXPECT_EQ(asked(Outcome::wrong_output, Device::cuda, true), 0);
  EXPECT_EQ(asked(Outcome::passed, Device::emulated, true), 0);
}

TEST(ScoreStage, EachSolutionOfStaffsIsTimedOnlyForARuleThatNeedsIt) {
  for (const auto unit : {TimeBound::Unit::reference, TimeBound::Unit::serial}) {
    StageConfig stage{.name = "gpu", .cases = {{.model = "m", .batch = 100}}};
    stage.op_times = {op_time_rule("m", 100, 2, unit)};
    StageReport report{.name = "gpu", .device = Device::cuda};
    report.cases = {timed_case("m", 100, 3)};
    int references = 0, serials = 0;
    score_stage(stage, report, true,
                {.reference = [&](const OpTimeRule&) { return ++references, std::optional(3.0); },
                 .work = {},
                 .serial = [&](const OpTimeRule&) { return ++serials, std::optional(3.0); }});
    EXPECT_EQ(references, unit == TimeBound::Unit::reference);
    EXPECT_EQ(serials, unit == TimeBound::Unit::serial);
    EXPECT_FALSE(report.points.at(0).open);
  }
}

TEST(ScoreStage, ARuleOfSeveralCasesAsksForEachReferenceAndCountsWithAllChosen) {
  const std::vector<CaseConfig> listed{{.model = "small"}, {.model = "large"}};
  StageConfig stage{.name = "gpu", .cases = listed};
  OpTimeRule together = op_time_rule("", 0, 2, kReference);
  together.cases = {"small", "large"};
  together.together = Together::worst;
  stage.op_times = {together};
  EXPECT_EQ(timing_of({}, stage, listed[1]).repetitions, 15) << "for points";
  const auto scored = [&](std::vector<CaseReport> cases) {
    StageReport report{.name = "gpu", .device = Device::cuda};
    report.cases = std::move(cases);
    std::vector<std::string> asked;
    score_stage(stage, report, true, {[&](const OpTimeRule& rule) {
                  asked.push_back(rule.model);
                  return std::optional(3.0);
                }});
    return std::pair(report.points, asked);
  };
  const auto [points, asked] = scored({timed_case("small", 0, 3), timed_case("large", 0, 3)});
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].points, 2);
  EXPECT_EQ(points[0].case_id, "") << "of the stage";
  EXPECT_EQ(asked, (std::vector<std::string>{"small", "large"}));
  EXPECT_TRUE(scored({timed_case("large", 0, 3)}).first.empty());

  stage.cases[0].sizes = {{"n", 100}};
  stage.cases[1].sizes = {{"n", 200}};
  stage.op_times[0].slope = {.over = "n", .full = 1, .zero = 2, .below = {3, kReference}};
  const auto by_slope = scored({timed_case("small", 0, 3), timed_case("large", 0, 6)}).first.at(0);
  EXPECT_EQ(by_slope.points, 2) << "twice the time for twice the size";
  EXPECT_EQ(by_slope.reason.get_if<why::OpTimeSlope>()->slope, 1);
}

TEST(ScoreStage, StaffsItemsAreOpen) {
  StageConfig stage{.name = "gpu"};
  stage.open_items = {{.name = "report", .points = 10}};
  StageReport report{.name = "gpu"};
  score_stage(stage, report, true, {});
  ASSERT_EQ(report.points.size(), 1U);
  EXPECT_EQ(report.points[0].name, "report");
  EXPECT_EQ(report.points[0].points, 0);
  EXPECT_EQ(report.points[0].max_points, 10);
  EXPECT_TRUE(report.points[0].open);
}

/// A required construct of 3 points and one that the case "large" must not have, in a stage whose
/// two cases have 5 points each.
StageReport with_constructs(Outcome build, const BrokenConstructs& broken) {
  StageConfig stage{.name = "gpu"};
  stage.constructs = {{.required = "__shared__", .points = 3},
                      {.forbidden = "cub::", .case_name = "large"}};
  StageReport report{.name = "gpu"};
  report.build.outcome = build;
  report.build.reason = text_reason("the build");
  for (const char* const model : {"large", "small"}) {
    CaseReport& c = report.cases.emplace_back(with_outcome(Outcome::passed));
    c.model = model;
    c.points = {{.points = 5, .max_points = 5}};
  }
  score_constructs(stage, broken, report);
  return report;
}

// A student could else choose that a lost point is open, by what no tree can be read of.
TEST(ScoreConstructs, WhatIsLostIsNotForStaffToDecide) {
  StageConfig stage{.name = "gpu"};
  stage.constructs = {{.forbidden = "cub::", .case_name = "large"},
                      {.forbidden = "std::sort", .case_name = "large"}};
  const Reason lost = why::ConstructForbidden(), open = why::ByStaff();
  const auto item_of = [&](const BrokenConstructs& broken, double points) {
    StageReport report{.name = "gpu"};
    report.build.outcome = Outcome::passed;
    CaseReport& c = report.cases.emplace_back(with_outcome(Outcome::passed));
    c.model = "large";
    c.points = {{.points = points, .max_points = 5}};
    score_constructs(stage, broken, report);
    return c.points[0];
  };
  EXPECT_TRUE(item_of({open, std::nullopt}, 5).open);
  for (const BrokenConstructs& broken :
       {BrokenConstructs{lost, open}, BrokenConstructs{open, lost}}) {
    EXPECT_FALSE(item_of(broken, 5).open);
    EXPECT_EQ(item_of(broken, 5).reason, lost);
  }
  EXPECT_FALSE(item_of({open, open}, 0).open) << "the case had failed";
}

TEST(ScoreConstructs, AKeptRuleEarnsWhereTheStageWasBuilt) {
  const StageReport kept = with_constructs(Outcome::passed, {std::nullopt, std::nullopt});
  ASSERT_EQ(kept.points.size(), 1U);
  EXPECT_EQ(kept.points[0].points, 3);
  EXPECT_EQ(kept.cases[0].points[0].points, 5);
  for (const Outcome outcome : {Outcome::build_failed, Outcome::not_run}) {
    const PointItem item = with_constructs(outcome, {}).points.at(0);
    EXPECT_EQ(item.points, 0);
    EXPECT_EQ(item.open, outcome == Outcome::not_run);
    EXPECT_EQ(item.reason, text_reason("the build"));
  }
}

TEST(ScoreConstructs, ABrokenRuleOfACaseCostsThatCaseAlone) {
  const StageReport report =
      with_constructs(Outcome::passed, {std::nullopt, text_reason("line 3")});
  EXPECT_EQ(report.points.at(0).points, 3);
  EXPECT_EQ(report.cases[0].points[0].points, 0);
  EXPECT_EQ(report.cases[0].points[0].reason, text_reason("line 3"));
  EXPECT_EQ(report.cases[1].points[0].points, 5);
}

}  // namespace
}  // namespace opgrade
