// Points for counts: the worst computation decides, in sizes of its own.
#include "grader/grading/score/score_counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/grading/score/score_stage.hpp"
#include "grader/report/words/reason_words.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;

ProfileCountRow kernel(int layer, std::int64_t sectors, std::int64_t least) {
  ProfileCountRow row{.name = "k", .step = "conv", .layer = layer, .launches = 1};
  row.accesses = {{.space = "global",
                   .use = "load",
                   .bytes = 4000,
                   .sectors = sectors,
                   .least_sectors = least}};
  row.arrays = {{.bytes = 400, .loads = 1000, .of_blocks = 500, .of_grids = 100}};
  row.exchanged = 5000;
  return row;
}

/// Two computations, of 64 and of 32 columns.
CaseReport counted_case() {
  CaseReport c;
  c.id = "gpu/square";
  c.model = "square";
  c.outcome = Outcome::passed;
  c.profile.emplace();
  c.profile->counted_layers = {{.layer = "one", .shape = {{"K", 64}}, .flops = 10},
                               {.layer = "two", .shape = {{"K", 32}}, .flops = 10}};
  c.profile->counts = {kernel(0, 110, 100), kernel(1, 300, 100)};
  return c;
}

CountRule rule(const char* count, const char* at_most, const char* at_least = "") {
  return {.model = "square", .count = count, .at_most = at_most, .at_least = at_least, .points = 5};
}

PointItem scored(const CountRule& rule, const CaseReport& c = counted_case()) {
  return score_counts(rule, c, true);
}

TEST(Counts, AMultipleOfTheIdeal) {
  EXPECT_EQ(scored(rule("global_load_sectors", "3 x ideal")).points, 5);
  const PointItem item = scored(rule("global_load_sectors", "1.2 x ideal"));
  EXPECT_EQ(item.points, 0);
  EXPECT_FALSE(item.open);
  EXPECT_EQ(item.name, "global_load_sectors at most 1.2 x ideal");
  EXPECT_EQ(report::sentence_of(item.reason),
            "global_load_sectors in two: 3 x ideal, and at most 1.2 x ideal is asked for");
}

TEST(Counts, AnExpressionOfTheSizesOfEachComputation) {
  EXPECT_EQ(scored(rule("loads_of_element", "K / 3")).points, 5);
  const PointItem item = scored(rule("loads_of_element", "K / 4"));
  EXPECT_EQ(item.points, 0);
  const auto* const broken = item.reason.get_if<why::CountBroken>();
  ASSERT_NE(broken, nullptr);
  EXPECT_EQ(broken->count.layer, "two");
  EXPECT_EQ(broken->count.counted, 10);
  EXPECT_EQ(broken->count.bound, 8);
}

TEST(Counts, AtLeast) {
  // 5000 words exchanged, 1000 loaded from global memory, none stored in shared memory.
  EXPECT_EQ(scored(rule("saved_by_shared", "", "0.83")).points, 5);
  EXPECT_EQ(scored(rule("saved_by_shared", "", "0.84")).points, 0);
}

/// A kernel whose loads change no output: it shares words and loads each element of an array once.
ProfileCountRow decoy(int layer) {
  ProfileCountRow row = kernel(layer, 110, 100);
  row.name = "decoy";
  row.exchanged = 100000;
  row.accesses[0].useless = true;
  row.arrays = {{.bytes = 40000, .loads = 10000, .of_blocks = 10000, .of_grids = 10000}};
  return row;
}

TEST(Counts, AKernelWhoseLoadsChangeNothingEarnsNothing) {
  CaseReport c = counted_case();
  c.profile->counts.push_back(decoy(0));
  c.profile->counts.push_back(decoy(1));
  EXPECT_EQ(scored(rule("saved_by_shared", "", "0.84"), c).points, 0);
  EXPECT_EQ(scored(rule("loads_of_element", "5"), c).points, 0);
  EXPECT_EQ(scored(rule("global_load_bytes", "", "5000"), c).points, 0);
  // What needs no decoy is earned as before.
  EXPECT_EQ(scored(rule("saved_by_shared", "", "0.83"), c).points, 5);
  EXPECT_EQ(scored(rule("loads_of_element", "10"), c).points, 5);
}

TEST(Counts, NorDoUselessLoadsOfAKernelThatIsNeeded) {
  CaseReport c = counted_case();
  for (ProfileCountRow& row : c.profile->counts) {
    ProfileAccessRow again{.space = "shared", .use = "load", .bytes = 90000};
    again.exchanged = 90000;
    again.useless = true;
    row.accesses.push_back(again);
    row.exchanged += 90000;
  }
  EXPECT_EQ(scored(rule("saved_by_shared", "", "0.83"), c).points, 5);
  EXPECT_EQ(scored(rule("saved_by_shared", "", "0.84"), c).points, 0);
  EXPECT_EQ(scored(rule("shared_load_bytes", "", "1"), c).points, 0);
}

TEST(Counts, AUselessLoadStaysInABoundFromAbove) {
  CaseReport c = counted_case();
  for (ProfileCountRow& row : c.profile->counts) row.accesses[0].useless = true;
  EXPECT_EQ(scored(rule("global_load_bytes", "3999"), c).points, 0);
  EXPECT_EQ(scored(rule("global_load_bytes", "4000"), c).points, 5);
}

TEST(Counts, OperationsInDoublePrecisionAreOperations) {
  CaseReport c = counted_case();
  for (ProfileCountRow& row : c.profile->counts) row.of_double.fused = 6;
  EXPECT_EQ(scored(rule("float_operations", "1 x ideal"), c).points, 0);
  EXPECT_EQ(scored(rule("float_operations", "1.2 x ideal"), c).points, 5);
}

TEST(Counts, ARunThatIsNotRightEarnsNothing) {
  CaseReport c = counted_case();
  c.profile->miscounted = text_reason("4 of 10 elements are wrong");
  const PointItem item = scored(rule("launches", "1"), c);
  EXPECT_EQ(item.points, 0);
  EXPECT_FALSE(item.open);
  EXPECT_EQ(report::sentence_of(item.reason),
            "the run that counts is not right: 4 of 10 elements are wrong");
}

TEST(Counts, NothingIsEarnedWithoutAKernel) {
  CaseReport c = counted_case();
  c.profile->counts.pop_back();
  const PointItem item = scored(rule("global_load_bytes", "100000"), c);
  EXPECT_EQ(item.points, 0);
  EXPECT_FALSE(item.open);
  EXPECT_THAT(report::sentence_of(item.reason), HasSubstr("two: no kernel ran"));
}

TEST(Counts, AreOpenWhereTheyAreUnknownOrNotAccepted) {
  const CountRule kept = rule("launches", "1"), broken = rule("launches", "0");
  EXPECT_TRUE(score_counts(kept, counted_case(), false).open);
  EXPECT_FALSE(score_counts(broken, counted_case(), false).open);
  CaseReport c = counted_case();
  c.profile = ProfileReport{.problem = "it took too long"};
  EXPECT_TRUE(scored(kept, c).open);
  EXPECT_THAT(report::sentence_of(scored(kept, c).reason), HasSubstr("it took too long"));
  c.outcome = Outcome::wrong_output;
  EXPECT_FALSE(scored(kept, c).open);
  c.outcome = Outcome::not_emulated;
  EXPECT_TRUE(scored(kept, c).open);
}

TEST(Counts, WithoutPointsTheCaseEarnsNothing) {
  StageConfig stage{.name = "gpu"};
  CaseConfig square;
  square.model = "square";
  square.points = 7;
  stage.cases = {square};
  CountRule required = rule("launches", "0");
  required.points = 0;
  stage.counts = {required};
  StageReport report{.name = "gpu", .device = Device::emulated};
  report.cases = {counted_case()};
  score_stage(stage, report, true, {});
  EXPECT_EQ(report.cases[0].points[0].points, 0);
  EXPECT_TRUE(report.cases[0].points[0].reason.is<why::CountBroken>());
  EXPECT_TRUE(report.points.empty());
}

TEST(Counts, AreThoseOfTheCaseOfTheRulesModelAndBatch) {
  StageConfig stage{.name = "gpu"};
  CountRule of_batch = rule("launches", "1");
  of_batch.batch = 100;
  stage.counts = {of_batch};
  StageReport report{.name = "gpu", .device = Device::emulated};
  CaseReport wrong = counted_case();
  wrong.outcome = Outcome::wrong_output;
  CaseReport right = counted_case();
  right.batch = 100;
  report.cases = {wrong, right};
  score_stage(stage, report, true, {});
  ASSERT_EQ(report.points.size(), 1U);
  EXPECT_EQ(report.points[0].points, 5);
}

}  // namespace
}  // namespace opgrade
