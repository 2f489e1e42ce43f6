// A case has one Op Time: the table, the CSV file, points and rank show the same.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/base/core/case_time.hpp"
#include "grader/grading/measure/times.hpp"
#include "grader/grading/score/rank.hpp"
#include "grader/grading/score/score.hpp"
#include "grader/report/formats/csv.hpp"
#include "grader/report/words/units.hpp"

namespace opgrade {
namespace {

using std::chrono::milliseconds;

/// Two layers whose times have adjustments.
Grade timed_grade(Statistic take) {
  CaseReport c{.id = "cpu/high/100", .model = "high", .batch = 100, .outcome = Outcome::passed};
  c.take = take;
  for (const int ms : {10, 20}) {
    CallReport call{.timed = true};
    for (const int more : {0, 1, 5})
      call.measurement.calls.push_back({.done = milliseconds(ms + more)});
    call.measurement.adjustments = {{"an empty call", -1, -1}, {"kernels outside", 0.5, 0}};
    set_times(call);
    c.calls.push_back(call);
  }
  Grade grade;
  grade.submission = "ada";
  grade.stages = {{.name = "cpu", .device = Device::cpu, .cases = {c}}};
  return grade;
}

TEST(OneTime, InTableCsvPointsAndRank) {
  const double want[] = {31, 29, 33};  // 10 + 1, 10 + 0, 10 + 2, each less 0.5, and 20 the same
  for (const Statistic take : {Statistic::median, Statistic::fastest, Statistic::mean}) {
    const Grade grade = timed_grade(take);
    const CaseReport& c = grade.stages[0].cases[0];
    const double time = want[static_cast<std::size_t>(take)];
    ASSERT_TRUE(report::op_time_of(c, Device::cpu));
    EXPECT_DOUBLE_EQ(report::op_time_of(c, Device::cpu)->ms, time) << name_of(take);
    RankingConfig ranking;
    ranking.stage = "cpu";
    ranking.model = "high";
    ranking.batch = 100;
    ranking.take = take;
    EXPECT_DOUBLE_EQ(contender_of(grade, ranking).time_ms, time) << name_of(take);
    EXPECT_EQ(case_time(c, take), time) << name_of(take);
    report::CsvColumns columns;
    columns.add(grade);
    EXPECT_THAT(report::csv_row(grade, columns), testing::EndsWith(fmt::format(",{}\r\n", time)))
        << name_of(take);
  }
}

}  // namespace
}  // namespace opgrade
