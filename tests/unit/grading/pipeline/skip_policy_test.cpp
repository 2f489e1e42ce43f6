#include "grader/grading/pipeline/skip_policy.hpp"

#include <gtest/gtest.h>

#include "grader/report/words/reason_words.hpp"

namespace opgrade {
namespace {

CaseReport case_of(int batch, Outcome outcome = Outcome::not_run) {
  CaseReport report;
  report.batch = batch;
  report.outcome = outcome;
  return report;
}

TEST(SkipPolicy, WhatIsNoSmallerIsSkippedAndSaysWhy) {
  SkipPolicy skip_policy(SkipPolicy::Skip::larger);
  CaseReport next = case_of(1000);
  EXPECT_FALSE(skip_policy.skips(next, 10));
  skip_policy.add(case_of(100, Outcome::out_of_time), 1);
  ASSERT_TRUE(skip_policy.skips(next, 10));
  EXPECT_EQ(next.outcome, Outcome::out_of_time);
  EXPECT_EQ(report::sentence_of(next.reason), "not run: a smaller batch ran out of time");
  EXPECT_FALSE(report::hint_of(next.reason).empty());
  CaseReport same = case_of(100);
  ASSERT_TRUE(skip_policy.skips(same, 1)) << "other weights, as much work";
  EXPECT_EQ(report::sentence_of(same.reason), "not run: a similar batch ran out of time");
}

TEST(SkipPolicy, WhatHasMoreThreadsIsRun) {
  SkipPolicy skip_policy(SkipPolicy::Skip::larger);
  const auto skips = [&](double work, int threads) {
    CaseReport next = case_of(0);
    return skip_policy.skips(next, work, threads);
  };
  skip_policy.add(case_of(0, Outcome::out_of_time), 10, 2);
  EXPECT_TRUE(skips(10, 1));
  EXPECT_TRUE(skips(10, 2));
  EXPECT_FALSE(skips(10, 4));
  EXPECT_FALSE(skips(10, 0)) << "all cores";
  skip_policy.add(case_of(0, Outcome::out_of_time), 20, 0);
  EXPECT_FALSE(skips(10, 4));
  EXPECT_TRUE(skips(20, 4));
}

TEST(SkipPolicy, WhatIsSmallerIsRun) {
  SkipPolicy skip_policy(SkipPolicy::Skip::larger);
  skip_policy.add(case_of(1000, Outcome::out_of_time), 10);
  CaseReport next = case_of(100);
  EXPECT_FALSE(skip_policy.skips(next, 1));
  skip_policy.add(case_of(100, Outcome::out_of_time), 1);
  skip_policy.add(case_of(2000, Outcome::out_of_time), 20);
  next = case_of(500);
  EXPECT_TRUE(skip_policy.skips(next, 5)) << "the smallest one counts";
}

TEST(SkipPolicy, NothingElseCounts) {
  SkipPolicy skip_policy(SkipPolicy::Skip::larger);
  for (const auto& words : kOutcomes) {
    if (words.outcome != Outcome::out_of_time) skip_policy.add(case_of(1, words.outcome), 1);
  }
  CaseReport next = case_of(1000);
  EXPECT_FALSE(skip_policy.skips(next, 10));
}

TEST(SkipPolicy, WhatFailedIsNotTriedWithMoreImages) {
  SkipPolicy skip_policy(SkipPolicy::Skip::larger);
  CaseReport next = case_of(1000);
  EXPECT_FALSE(skip_policy.skips_after_failure(next, 10));
  skip_policy.add(case_of(100, Outcome::wrong_accuracy), 1);
  skip_policy.add(case_of(0, Outcome::crashed), 0);  // of random shapes
  EXPECT_FALSE(skip_policy.skips_after_failure(next, 10));
  skip_policy.add(case_of(500, Outcome::crashed), 5);
  EXPECT_FALSE(skip_policy.skips_after_failure(next, 4));
  ASSERT_TRUE(skip_policy.skips_after_failure(next, 5));
  EXPECT_EQ(next.outcome, Outcome::crashed);
  EXPECT_EQ(report::sentence_of(next.reason), "not run: a smaller batch failed");
}

TEST(SkipPolicy, ASelfCheckSkipsAllThatFollows) {
  SkipPolicy skip_policy(SkipPolicy::Skip::all);
  CaseReport random = case_of(0, Outcome::out_of_time), next = case_of(100);
  random.id = "cpu/random";
  skip_policy.add(case_of(0, Outcome::wrong_output), 0);
  EXPECT_FALSE(skip_policy.skips(next, 10));
  skip_policy.add(random, 0);
  ASSERT_TRUE(skip_policy.skips(next, 10));
  EXPECT_EQ(next.outcome, Outcome::out_of_time);
  EXPECT_EQ(report::sentence_of(next.reason), "not run: cpu/random ran out of time");
}

TEST(SkipPolicy, InAGradingRandomShapesSkipNothing) {
  SkipPolicy skip_policy(SkipPolicy::Skip::larger);
  skip_policy.add(case_of(0, Outcome::out_of_time), 0);
  CaseReport next = case_of(100);
  EXPECT_FALSE(skip_policy.skips(next, 10));
}

}  // namespace
}  // namespace opgrade
