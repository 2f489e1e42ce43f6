// Whether a call that is not made could have changed points: asked of the points themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "grader/grading/score/hopeless.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "tests/unit/grading/measure/fake_target.hpp"

namespace opgrade {
namespace {

constexpr int kCalls = 5;

struct Numbers {
  std::mt19937_64 random;
  int below(int count) { return std::uniform_int_distribution(0, count - 1)(random); }
  /// Uniform in its logarithm.
  double between(double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution()(random));
  }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(static_cast<int>(all.size()))];
  }
};

constexpr CaseWork kWork{.bytes = 3e9, .flops = 5e9, .least_ms = 2};

BoundSources sources() {
  return {.reference = [](auto&) { return 30.0; },
          .work = [](auto&) { return kWork; },
          .serial = [](auto&) { return 500.0; }};
}

/// `full` is the better bound.
std::pair<TimeBound, TimeBound> any_bounds(Numbers& numbers) {
  using Unit = TimeBound::Unit;
  const auto unit = numbers.one_of({Unit::ms, Unit::ms, Unit::ms, Unit::gbyte_s, Unit::gflop_s,
                                    Unit::roofline, Unit::reference, Unit::serial});
  const double zero =
      unit == Unit::roofline ? numbers.between(0.005, 0.2) : numbers.between(2, 200);
  const double ratio = numbers.one_of({1.0, 1.2, 5.0});
  const TimeBound last{zero, unit};
  return {{last.is_rate() ? zero * ratio : zero / ratio, unit},
          numbers.below(12) == 0 && unit == Unit::ms ? kNever : last};
}

OpTimeRule any_rule(Numbers& numbers) {
  OpTimeRule rule{.points = numbers.one_of({1.0, 12.0})};
  std::tie(rule.full, rule.zero) = any_bounds(numbers);
  rule.take = numbers.one_of({Statistic::median, Statistic::fastest, Statistic::mean});
  rule.step = numbers.one_of({kTimeShare, kTimeShare, 0.0, 0.03, 0.2, 0.9});
  rule.between = numbers.one_of({OpTimeRule::Between::time, OpTimeRule::Between::speed});
  if (rule.zero == kNever) rule.between = OpTimeRule::Between::speed;  // as configs must
  if (numbers.below(2) == 0) {
    rule.model = numbers.one_of({"small", "small", "large"});
    return rule;
  }
  rule.cases = {"small", "large"};
  rule.together =
      numbers.one_of({Together::sum, Together::geometric_mean, Together::each, Together::worst});
  if (numbers.below(4) == 0) rule.slope = {.over = "n", .full = 1, .zero = 2, .below = rule.zero};
  return rule;
}

StageConfig any_stage(Numbers& numbers) {
  StageConfig stage{.name = "gpu", .device = Device::cuda};
  stage.cases = {{.model = "small", .points = 3}, {.model = "large"}};
  stage.cases[0].sizes = {{"n", 1000}};
  stage.cases[1].sizes = {{"n", 100000}};
  for (int rules = 1 + numbers.below(2); rules > 0; --rules)
    stage.op_times.push_back(any_rule(numbers));
  return stage;
}

CaseReport case_report(const CaseConfig& c) {
  CaseReport report;
  report.id = "gpu/" + c.model;
  report.model = c.model;
  report.outcome = Outcome::passed;
  return report;
}

void add_layer(CaseReport& report, std::vector<double> samples) {
  CallReport& call = report.calls.emplace_back();
  call.timed = true;
  call.op_time = summarize(std::move(samples));
}

/// The calls of a case whose times `next` draws, each about as long as the others of its layer.
CaseReport measured_case(const StageConfig& stage, const CaseConfig& wanted, const Config& config,
                         Numbers& numbers, bool expects) {
  const auto hopeless = hopeless_ms(config, stage, wanted, [](auto&) { return kWork; });
  CaseReport report = case_report(wanted);
  for (int layers = 1 + numbers.below(2); layers > 0; --layers) {
    const bool device = numbers.below(2) == 0;
    Plan plan = device ? test::device_plan(kCalls) : test::host_plan(kCalls);
    plan.empty_call = test::microseconds(14);
    limit_times(plan, {hopeless, expects}, report.calls);
    const double usual = numbers.between(0.1, 5000);
    test::FakeTarget target([&](int) {
      const auto time = test::nanoseconds(std::llround(1e6 * usual * numbers.between(0.8, 1.3)));
      return device ? test::device_call(time) : test::host_call(time);
    });
    const Measured measured = measure_calls(target, plan);
    EXPECT_TRUE(measured.credible);
    add_layer(report, op_times(measured.measurement).samples_ms);
  }
  return report;
}

/// With the calls that were not made, each of which takes half of the shortest one or more.
CaseReport with_all_calls(const CaseReport& report, Numbers& numbers) {
  CaseReport all = report;
  for (CallReport& call : all.calls) {
    std::vector<double> samples = call.op_time.samples_ms;
    const double shortest = call.op_time.minimum_ms;
    while (samples.size() < kCalls) samples.push_back(shortest * numbers.between(0.5, 2));
    call.op_time = summarize(std::move(samples));
  }
  return all;
}

bool has_ended_early(const CaseReport& report) {
  return std::ranges::any_of(
      report.calls, [](const CallReport& call) { return call.op_time.samples_ms.size() < kCalls; });
}

std::vector<double> points_of(const StageConfig& stage, const CaseReport& small,
                              const CaseReport& large) {
  StageReport report;
  report.device = Device::cuda;
  report.cases = {small, large};
  score_stage(stage, report, false, sources());
  std::vector<double> points;
  for (const CaseReport& c : report.cases)
    for (const PointItem& item : c.points) points.push_back(item.points);
  for (const PointItem& item : report.points) {
    points.push_back(item.points);
    EXPECT_FALSE(item.open);
  }
  return points;
}

TEST(HopelessPoints, NoCallThatIsNotMadeCouldChangeThem) {
  int early = 0, whole = 0;
  for (unsigned seed = 1; seed <= 6000; ++seed) {
    Numbers numbers{std::mt19937_64(seed)};
    const StageConfig stage = any_stage(numbers);
    const CaseReport small =
        measured_case(stage, stage.cases[0], {}, numbers, numbers.below(2) == 0);
    CaseReport large = case_report(stage.cases[1]);
    add_layer(large, {numbers.between(0.0001, 5000)});
    ++(has_ended_early(small) ? early : whole);
    const auto points = points_of(stage, small, large);
    for (int others = 0; others < 5; ++others)
      EXPECT_EQ(points_of(stage, with_all_calls(small, numbers), large), points) << seed;
  }
  EXPECT_GT(early, 500) << "the rule is of use";
  EXPECT_GT(whole, 500);
}

/// Whatever the rules of its time are.
TEST(HopelessPoints, ARankedCaseHasAllCalls) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    Numbers numbers{std::mt19937_64(seed)};
    const StageConfig stage = any_stage(numbers);
    Config config;
    config.ranking = RankingConfig{.stage = "gpu", .model = "small"};
    EXPECT_FALSE(has_ended_early(measured_case(stage, stage.cases[0], config, numbers, true)));
  }
}

/// What can earn: by any rule, less than the time from which it gives nothing.
TEST(HopelessPoints, ACaseThatEarnsHasAllCalls) {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    Numbers numbers{std::mt19937_64(seed)};
    StageConfig stage = any_stage(numbers);
    std::erase_if(stage.op_times, [](const OpTimeRule& rule) { return rule.model != "small"; });
    if (stage.op_times.empty()) continue;
    const CaseReport small = measured_case(stage, stage.cases[0], {}, numbers, true);
    const auto points = points_of(stage, small, case_report(stage.cases[1]));
    const bool earns =
        std::ranges::any_of(points.begin() + 1, points.end(), [](double p) { return p > 0; });
    EXPECT_FALSE(earns && has_ended_early(small)) << seed;
  }
}

}  // namespace
}  // namespace opgrade
