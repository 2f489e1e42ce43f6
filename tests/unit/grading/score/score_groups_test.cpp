#include "grader/grading/score/score_groups.hpp"

#include <gtest/gtest.h>

#include "grader/grading/score/score_stage.hpp"

namespace opgrade {
namespace {

using Score = CaseGroupConfig::Score;

/// A stage with two cases in group `a`, and one in `b`, which requires `a`.
Config two_groups(Score score) {
  StageConfig stage{.name = "cpu"};
  for (const auto& [name, group] : {std::pair("one", "a"), {"two", "a"}, {"three", "b"}}) {
    CaseConfig c;
    c.model = name;
    c.group = group;
    if (score == Score::each || c.group == "b") c.points = 5;
    stage.cases.push_back(c);
  }
  stage.groups = {{"a", score, score == Score::each ? 0.0 : 8.0, ""}, {"b", Score::each, 0, "a"}};
  Config config;
  config.stages = {stage};
  return config;
}

Grade graded(const Config& config, const std::vector<Outcome>& outcomes) {
  Grade grade;
  StageReport report{.name = "cpu"};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    CaseReport c;
    c.id = case_id(config.stages[0], config.stages[0].cases[i]);
    c.outcome = outcomes[i];
    report.cases.push_back(c);
  }
  score_stage(config.stages[0], report, true, {});
  grade.stages = {report};
  score_groups(config, grade);
  return grade;
}

constexpr Outcome kRight = Outcome::passed, kWrong = Outcome::wrong_output,
                  kOpen = Outcome::not_run;

/// Earned, possible and open points of the first stage.
std::vector<double> sums(const Grade& grade) {
  double earned = 0, possible = 0, open = 0;
  const auto add = [&](const PointItem& item) {
    earned += item.points;
    possible += item.max_points;
    if (item.open) open += item.max_points;
  };
  for (const auto& c : grade.stages[0].cases)
    for (const auto& item : c.points) add(item);
  for (const auto& item : grade.stages[0].points) add(item);
  return {earned, possible, open};
}

using Sums = std::vector<double>;

TEST(ScoreGroups, AllOrNothing) {
  const Config config = two_groups(Score::all);
  EXPECT_EQ(config.max_points(), 13);
  EXPECT_EQ(graded_points(config.stages[0]), 13);
  EXPECT_EQ(sums(graded(config, {kRight, kRight, kRight})), (Sums{13, 13, 0}));
  EXPECT_EQ(sums(graded(config, {kRight, kWrong, kRight})), (Sums{0, 13, 0}));
  EXPECT_EQ(sums(graded(config, {kRight, kOpen, kRight})), (Sums{0, 13, 13}));
  EXPECT_EQ(sums(graded(config, {kWrong, kOpen, kRight})), (Sums{0, 13, 0}));
}

TEST(ScoreGroups, TheShareOfRightCases) {
  const Config config = two_groups(Score::fraction);
  EXPECT_EQ(sums(graded(config, {kRight, kRight, kRight})), (Sums{13, 13, 0}));
  EXPECT_EQ(sums(graded(config, {kRight, kWrong, kRight})), (Sums{4, 13, 0}));
  EXPECT_EQ(sums(graded(config, {kWrong, kWrong, kRight})), (Sums{0, 13, 0}));
}

TEST(ScoreGroups, EachCaseByItselfAndARequirementTakesTheOthersPoints) {
  const Config config = two_groups(Score::each);
  EXPECT_EQ(sums(graded(config, {kRight, kRight, kRight})), (Sums{15, 15, 0}));
  const Grade grade = graded(config, {kRight, kWrong, kRight});
  EXPECT_EQ(sums(grade), (Sums{5, 15, 0}));
  const Reason& reason = grade.stages[0].cases[2].points[0].reason;
  ASSERT_TRUE(reason.is<why::NeedsGroup>());
  EXPECT_EQ(reason.get_if<why::NeedsGroup>()->case_id, "cpu/two");
  EXPECT_EQ(sums(graded(config, {kRight, kRight, kWrong})), (Sums{10, 15, 0}));
}

/// Right outputs of all cases, but the first one breaks a rule, or may break it.
Grade with_broken_rule(const Config& config, bool open) {
  Grade grade;
  StageReport report{.name = "cpu"};
  report.build.outcome = Outcome::passed;
  for (const CaseConfig& listed : config.stages[0].cases) {
    CaseReport& c = report.cases.emplace_back();
    c.id = case_id(config.stages[0], listed);
    c.model = listed.model;
    c.batch = listed.batch;
    c.outcome = kRight;
  }
  score_stage(config.stages[0], report, true, {});
  StageConfig rules = config.stages[0];
  rules.constructs = {{.forbidden = "goto", .case_name = rules.cases[0].model}};
  score_constructs(rules, {open ? Reason(why::ByStaff{}) : Reason(why::ConstructForbidden{})},
                   report);
  grade.stages = {report};
  score_groups(config, grade);
  return grade;
}

TEST(ScoreGroups, ACaseThatBreaksARuleIsNotRight) {
  for (const auto score : {Score::each, Score::all, Score::fraction}) {
    const Config config = two_groups(score);
    const Grade right = graded(config, std::vector<Outcome>(config.stages[0].cases.size(), kRight));
    const Grade broken = with_broken_rule(config, false), open = with_broken_rule(config, true);
    EXPECT_LT(sums(broken)[0], sums(right)[0]);
    EXPECT_EQ(sums(broken)[1], sums(right)[1]);
    EXPECT_EQ(sums(broken)[2], 0) << "it is decided";
    EXPECT_GT(sums(open)[2], 0);
    const auto& cases = broken.stages[0].cases;
    const PointItem& needs = cases.back().points.at(0);
    EXPECT_EQ(needs.points, 0) << "group b needs group a";
    EXPECT_FALSE(needs.open);
    if (score != Score::each) {
      EXPECT_TRUE(broken.stages[0].points.at(0).reason.is<why::ConstructForbidden>());
    }
  }
}

TEST(ScoreGroups, OfChosenCasesTheGroupHasItsShare) {
  EXPECT_EQ(sums(graded(two_groups(Score::all), {kRight})), (Sums{4, 4, 0}));
}

}  // namespace
}  // namespace opgrade
