// What a lecturer reads about a sample that ended otherwise than its folder says.
#include "grader/app/sample_advice.hpp"

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

TEST(SampleAdvice, WhatIsUndecidedBelongsNowhere) {
  for (const Outcome outcome : {Outcome::grader_fault, Outcome::not_emulated, Outcome::not_run}) {
    EXPECT_EQ(folder_for(graded(outcome)), "");
    EXPECT_THAT(sample_advice(graded(outcome), "passed"), Not(HasSubstr("submissions/")));
    EXPECT_THAT(sample_folders(), Not(HasSubstr(std::string(words(outcome).id))));
  }
}

}  // namespace
}  // namespace opgrade
