// What a lecturer reads about a sample that ended otherwise than its folder says.
#include "grader/authoring/sample_advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Grade graded(Outcome outcome, double points = 0) {
  Grade grade;
  grade.outcome = outcome;
  grade.points = points;
  grade.max_points = 10;
  return grade;
}

Grade wrong_by(double times) {
  Grade grade = graded(Outcome::wrong_output);
  CallReport call;
  call.check.checked = 9;
  call.check.mismatches = 1;
  call.check.tolerance = 1e-6;
  call.check.worst_error = times * 1e-6;
  CaseReport c;
  c.outcome = Outcome::wrong_output;
  c.calls.push_back(call);
  StageReport stage;
  stage.cases.push_back(c);
  grade.stages.push_back(stage);
  return grade;
}

TEST(SampleAdvice, NamesTheFolderIntoWhichASampleBelongs) {
  for (const Outcome outcome : {Outcome::wrong_output, Outcome::mistake_found, Outcome::crashed,
                                Outcome::exited_early, Outcome::out_of_time, Outcome::out_of_memory,
                                Outcome::over_limit, Outcome::build_failed, Outcome::refused}) {
    const std::string id(words(outcome).id);
    for (const char* folder : {"passed", "wrong_output", "fewer_points"}) {
      if (id == folder) continue;
      EXPECT_THAT(sample_advice(graded(outcome), folder),
                  AllOf(HasSubstr("it belongs into submissions/" + id + "/, and lies in " + folder),
                        Not(HasSubstr("tolerance"))));
    }
    EXPECT_THAT(sample_folders(), HasSubstr(id));
  }
  EXPECT_THAT(sample_advice(graded(Outcome::passed, 10), "crashed"),
              AllOf(HasSubstr("no case shows its mistake"), HasSubstr("submissions/passed/")));
  EXPECT_THAT(sample_advice(graded(Outcome::passed, 5), "passed"),
              HasSubstr("belongs into submissions/fewer_points/"));
  EXPECT_THAT(sample_advice(graded(Outcome::passed, 10), "fewer_points"),
              HasSubstr("belongs into submissions/passed/"));
}

TEST(SampleAdvice, ToleranceIsNamedForASmallErrorOfARightSampleAlone) {
  EXPECT_THAT(sample_advice(wrong_by(3), "passed"),
              HasSubstr("its largest error is 3 times what is allowed: widen `tolerance`"));
  EXPECT_THAT(sample_advice(wrong_by(1e5), "passed"), Not(HasSubstr("tolerance")));
  EXPECT_THAT(sample_advice(wrong_by(3), "crashed"), Not(HasSubstr("tolerance")));
}

Grade graded_on(Device device, Outcome outcome) {
  Grade grade = graded(outcome);
  StageReport stage;
  stage.device = device;
  grade.stages.push_back(stage);
  return grade;
}

// Where findings decide, the emulated device names a mistake; on a GPU the same mistake may end the
// process, or never let it end, before anyone looks for findings.
TEST(SampleAdvice, AMistakeHasOtherConsequencesOnAGpu) {
  Config decides;
  decides.findings = FindingsRule::decide;
  decides.accept_emulated = true;
  for (const Outcome outcome : {Outcome::crashed, Outcome::out_of_time}) {
    EXPECT_TRUE(ends_as(graded_on(Device::cuda, outcome), Outcome::mistake_found, decides));
    EXPECT_FALSE(ends_as(graded_on(Device::emulated, outcome), Outcome::mistake_found, decides));
    EXPECT_FALSE(ends_as(graded_on(Device::cpu, outcome), Outcome::mistake_found, decides));
    EXPECT_FALSE(ends_as(graded_on(Device::cuda, outcome), Outcome::wrong_output, decides));
    EXPECT_FALSE(ends_as(graded_on(Device::cuda, outcome), Outcome::passed, decides));
  }
  for (const Device device : {Device::cuda, Device::emulated}) {
    EXPECT_TRUE(ends_as(graded_on(device, Outcome::wrong_output), Outcome::mistake_found, decides));
    EXPECT_TRUE(ends_as(graded_on(device, Outcome::mistake_found), Outcome::wrong_output, decides));
    EXPECT_FALSE(ends_as(graded_on(device, Outcome::passed), Outcome::mistake_found, decides));
    EXPECT_FALSE(ends_as(graded_on(device, Outcome::refused), Outcome::mistake_found, decides));
  }
  Config warns = decides;
  warns.findings = FindingsRule::warn;
  EXPECT_TRUE(ends_as(graded_on(Device::cuda, Outcome::passed), Outcome::mistake_found, warns));
  EXPECT_FALSE(
      ends_as(graded_on(Device::emulated, Outcome::passed), Outcome::mistake_found, warns));
}

TEST(SampleAdvice, PointsThatARightSubmissionLostAreNamed) {
  Grade grade = graded_on(Device::cuda, Outcome::passed);
  grade.stages.front().points = {{.name = "speed", .points = 15.62, .max_points = 20},
                                 {.name = "all of it", .points = 5, .max_points = 5},
                                 {.name = "later", .max_points = 5, .open = true}};
  EXPECT_EQ(lost_points_in(grade), "; speed: 15.62 of 20 points");
  grade.outcome = Outcome::wrong_output;
  EXPECT_EQ(lost_points_in(grade), "");
}

TEST(SampleAdvice, WhatIsUndecidedBelongsNowhere) {
  for (const Outcome outcome : {Outcome::grader_fault, Outcome::not_emulated, Outcome::not_run}) {
    EXPECT_EQ(folder_for(graded(outcome)), "");
    EXPECT_THAT(sample_advice(graded(outcome), "passed"), Not(HasSubstr("submissions/")));
    EXPECT_THAT(sample_folders(), Not(HasSubstr(std::string(words(outcome).id))));
  }
}

}  // namespace
}  // namespace opgrade
