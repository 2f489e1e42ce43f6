#include "grader/app/time_outs.hpp"

#include <gtest/gtest.h>

#include "grader/report/reason_words.hpp"

namespace opgrade {
namespace {

CaseReport case_of(int batch, Outcome outcome = Outcome::not_run) {
  CaseReport report;
  report.batch = batch;
  report.outcome = outcome;
  return report;
}

TEST(TimeOuts, WhatIsNoSmallerIsSkippedAndSaysWhy) {
  TimeOuts time_outs(TimeOuts::Skip::larger);
  CaseReport next = case_of(1000);
  EXPECT_FALSE(time_outs.skips(next, 10));
  time_outs.add(case_of(100, Outcome::out_of_time), 1);
  ASSERT_TRUE(time_outs.skips(next, 10));
  EXPECT_EQ(next.outcome, Outcome::out_of_time);
  EXPECT_EQ(report::sentence_of(next.reason), "not run: a smaller batch ran out of time");
  EXPECT_FALSE(report::hint_of(next.reason).empty());
  CaseReport same = case_of(100);
  ASSERT_TRUE(time_outs.skips(same, 1)) << "other weights, as much work";
  EXPECT_EQ(report::sentence_of(same.reason), "not run: a similar batch ran out of time");
}

TEST(TimeOuts, WhatIsSmallerIsRun) {
  TimeOuts time_outs(TimeOuts::Skip::larger);
  time_outs.add(case_of(1000, Outcome::out_of_time), 10);
  CaseReport next = case_of(100);
  EXPECT_FALSE(time_outs.skips(next, 1));
  time_outs.add(case_of(100, Outcome::out_of_time), 1);
  time_outs.add(case_of(2000, Outcome::out_of_time), 20);
  next = case_of(500);
  EXPECT_TRUE(time_outs.skips(next, 5)) << "the smallest one counts";
}

TEST(TimeOuts, NothingElseCounts) {
  TimeOuts time_outs(TimeOuts::Skip::larger);
  for (const auto& words : kOutcomes) {
    if (words.outcome != Outcome::out_of_time) time_outs.add(case_of(1, words.outcome), 1);
  }
  CaseReport next = case_of(1000);
  EXPECT_FALSE(time_outs.skips(next, 10));
}

TEST(TimeOuts, WhatFailedIsNotTriedWithMoreImages) {
  TimeOuts time_outs(TimeOuts::Skip::larger);
  CaseReport next = case_of(1000);
  EXPECT_FALSE(time_outs.skips_after_failure(next, 10));
  time_outs.add(case_of(100, Outcome::wrong_accuracy), 1);
  time_outs.add(case_of(0, Outcome::crashed), 0);  // of random shapes
  EXPECT_FALSE(time_outs.skips_after_failure(next, 10));
  time_outs.add(case_of(500, Outcome::crashed), 5);
  EXPECT_FALSE(time_outs.skips_after_failure(next, 4));
  ASSERT_TRUE(time_outs.skips_after_failure(next, 5));
  EXPECT_EQ(next.outcome, Outcome::crashed);
  EXPECT_EQ(report::sentence_of(next.reason), "not run: a smaller batch failed");
}

TEST(TimeOuts, ASelfCheckSkipsAllThatFollows) {
  TimeOuts time_outs(TimeOuts::Skip::all);
  CaseReport random = case_of(0, Outcome::out_of_time), next = case_of(100);
  random.id = "cpu/random";
  time_outs.add(case_of(0, Outcome::wrong_output), 0);
  EXPECT_FALSE(time_outs.skips(next, 10));
  time_outs.add(random, 0);
  ASSERT_TRUE(time_outs.skips(next, 10));
  EXPECT_EQ(next.outcome, Outcome::out_of_time);
  EXPECT_EQ(report::sentence_of(next.reason), "not run: cpu/random ran out of time");
}

TEST(TimeOuts, InAGradingRandomShapesSkipNothing) {
  TimeOuts time_outs(TimeOuts::Skip::larger);
  time_outs.add(case_of(0, Outcome::out_of_time), 0);
  CaseReport next = case_of(100);
  EXPECT_FALSE(time_outs.skips(next, 10));
}

}  // namespace
}  // namespace opgrade
