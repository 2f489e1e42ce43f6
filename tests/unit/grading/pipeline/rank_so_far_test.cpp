// When a grader knows how long its class takes.
#include "grader/grading/pipeline/rank_so_far.hpp"

#include <gtest/gtest.h>

#include "grader/base/core/statistics.hpp"

namespace opgrade {
namespace {

const RankingConfig kRule{.stage = "m3", .model = "m", .batch = 100};

Grade took(double ms, Outcome outcome = Outcome::passed) {
  CallReport call;
  call.timed = true;
  call.op_time = summarize({ms});
  CaseReport c;
  c.model = "m";
  c.batch = 100;
  c.outcome = outcome;
  c.calls.push_back(call);
  StageReport stage;
  stage.name = "m3";
  stage.cases.push_back(c);
  Grade grade;
  grade.outcome = outcome;
  grade.stages.push_back(stage);
  return grade;
}

TEST(RankSoFar, IsTwiceTheMedianOfFiveOrMore) {
  RankSoFar ranked;
  for (const double ms : {10, 30, 20, 90}) ranked.add(took(ms), kRule);
  EXPECT_EQ(ranked.far_behind_ms(), std::nullopt) << "four are few";
  ranked.add(took(40), kRule);
  EXPECT_EQ(ranked.far_behind_ms(), 60);
  for (const double ms : {20, 20}) ranked.add(took(ms), kRule);
  EXPECT_EQ(ranked.far_behind_ms(), 40);
}

TEST(RankSoFar, WhoIsNotRankedDoesNotCount) {
  RankSoFar ranked;
  for (int i = 0; i < 9; ++i) ranked.add(took(10, Outcome::wrong_output), kRule);
  for (int i = 0; i < 9; ++i) ranked.add(Grade(), kRule);
  RankingConfig other = kRule;
  other.batch = 1000;
  for (int i = 0; i < 9; ++i) ranked.add(took(10), other);
  EXPECT_EQ(ranked.far_behind_ms(), std::nullopt);
}

}  // namespace
}  // namespace opgrade
