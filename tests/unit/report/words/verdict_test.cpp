#include "grader/report/words/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "grader/report/words/case_facts.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

using test::grade_with;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Verdict, SaysHowTheGradeStands) {
  EXPECT_EQ(grade_verdict(test::passed_grade()).title, "PASSED");
  EXPECT_EQ(grade_verdict(grade_with(Outcome::crashed)).title, "FAILED");
  EXPECT_EQ(grade_verdict(grade_with(Outcome::not_run)).title, "NOT RUN");
  EXPECT_EQ(grade_verdict(grade_with(Outcome::grader_fault)).title, "GRADER FAULT");
}

TEST(Verdict, AGraderFaultIsNeverAFailure) {
  Grade grade = grade_with(Outcome::grader_fault);
  EXPECT_EQ(grade_verdict(grade).standing, Standing::fault);
  EXPECT_THAT(grade_verdict(grade).score, HasSubstr("not held against the submission"));
  grade.passed = true;  // what ran may have been enough, yet something did not run
  EXPECT_EQ(grade_verdict(grade).standing, Standing::fault);
}

TEST(Verdict, PointsThatNeedAGpuLeaveItOpen) {
  Grade grade = grade_with(Outcome::passed);
  grade.points = 10;
  grade.open_points = 10;
  grade.max_points = 20;
  grade.pass_mark = 15;
  EXPECT_EQ(grade_verdict(grade).title, "INCOMPLETE");
  EXPECT_EQ(grade_verdict(grade).score, "10 of 20 points (15 to pass); 10 more are open");
  grade.points = 4;  // even a GPU would not save it
  EXPECT_EQ(grade_verdict(grade).title, "FAILED");
}

TEST(Verdict, OpenPointsHideNothingThatIsWrong) {
  for (const auto& words : kOutcomes) {
    if (words.outcome == Outcome::passed || words.outcome == Outcome::grader_fault) continue;
    for (const double mark : {0.0, 15.0}) {
      Grade grade = grade_with(words.outcome);
      grade.passed = false;
      grade.points = 10;
      grade.open_points = 10;  // would reach the mark
      grade.max_points = 80;
      grade.pass_mark = mark;
      const bool undecided = is_undecided(words.outcome) || words.outcome == Outcome::not_credible;
      EXPECT_EQ(grade_verdict(grade).standing, undecided ? Standing::undecided : Standing::failed)
          << words.id << " with the mark " << mark;
    }
  }
}

TEST(Verdict, WhatIsNotEmulatedIsLeftOpenAndAccusesNobody) {
  Grade grade = grade_with(Outcome::not_emulated);
  grade.passed = false;
  grade.points = 0;
  grade.open_points = grade.max_points;
  EXPECT_EQ(grade_verdict(grade).standing, Standing::undecided);
  grade.pass_mark = 0;
  EXPECT_EQ(grade_verdict(grade).standing, Standing::undecided);
  grade.open_points = grade.max_points = 0;  // a case without points
  EXPECT_EQ(grade_verdict(grade).standing, Standing::undecided);
  EXPECT_FALSE(is_submission_fault(Outcome::not_emulated));
  auto problems = problems_of(grade);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0].next, HasSubstr("with a GPU"));
  EXPECT_EQ(heading_of(problems), "Undecided cases");
  problems.push_back({.outcome = Outcome::wrong_output});
  EXPECT_EQ(heading_of(problems), "Problems");
}

TEST(Verdict, NamesLayerPlaceGotAndWant) {
  CaseReport c = test::full_grade().stages[0].cases[0];
  c.calls[0].layer = "conv2";
  c.usage = {};
  c.findings.clear();
  EXPECT_THAT(facts_of(c),
              ElementsAre("conv2 at (b=44, m=45, h=46, w=47): got infinity, want 0.1",
                          "1042 of 1099511627776 elements of conv2 are wrong; worst error NaN, "
                          "allowed 0.001, relative to the largest output of its image",
                          "shape of conv2: B=51 M=52 C=53 H=54 W=55 K=3 S=2"));
}

TEST(Verdict, WhatTheReasonSaysIsNotSaidAgain) {
  CaseReport c = test::full_grade().stages[0].cases[0];
  c.findings.clear();
  c.reason = text_reason("conv2: 1042 of 1099511627776 elements are wrong");
  c.usage = {};
  EXPECT_EQ(facts_of(c)[1],
            "worst error NaN, allowed 0.001, relative to the largest output of its image");
  c.calls.clear();
  c.reason = text_reason("stopped at its limit: wall time 60 s");
  c.outcome = Outcome::out_of_time;
  c.usage.limit = Limit{Limit::Kind::wall_time, 60};
  EXPECT_THAT(facts_of(c), ElementsAre());
}

TEST(Verdict, AFindingIsPointedAtAndNotSaidAgain) {
  CaseReport c = test::passed_grade().stages[0].cases[0];
  c.outcome = Outcome::wrong_output;
  Finding finding;
  finding.file = "new-forward.cu";
  finding.line = 14;
  finding.message = "The thread writes past the end.";
  c.findings = {finding};
  test::sentence_in(c.reason).hint = "new-forward.cu:14: The thread writes past the end.";
  EXPECT_EQ(next_of(c), "Fix new-forward.cu:14 first.");
  c.calls[1].check.mismatches = 1;
  c.calls[1].check.hint = "every element is zero";
  EXPECT_EQ(next_of(c), "Fix new-forward.cu:14 first. The outputs: every element is zero");
  test::sentence_in(c.reason).hint =
      "of the case";  // a finding that decides says more than any pattern
  c.findings[0].kind = "data_race";
  EXPECT_THAT(next_of(c), HasSubstr("Fix new-forward.cu:14 first."));
  c.findings[0].kind = "leak";
  EXPECT_EQ(next_of(c), "of the case");
}

// The emulated device's unset memory has the same NaN as an output that is not written.
TEST(Verdict, AnUnsetValueIsNotCalledAnElementThatWasNotWritten) {
  CaseReport c = test::passed_grade().stages[0].cases[0];
  c.outcome = Outcome::wrong_output;
  c.findings = {
      {"unset_shared_read", "sums", "a.cu", 15, "The thread reads a __shared__ variable."}};
  c.reason = text_reason("conv1: 9 of 9 elements are wrong");
  test::sentence_in(c.reason).hint = "a.cu:15: The thread reads a __shared__ variable.";
  auto& check = c.calls[0].check;
  check.mismatches = check.checked = 9;
  check.first = 0;
  check.got = std::numeric_limits<double>::quiet_NaN();
  check.set({"no element was written, or all were added to y's old content with +=",
             Hint::Kind::unwritten});
  EXPECT_EQ(next_of(c), "Fix a.cu:15 first.");
  EXPECT_THAT(facts_of(c), Each(Not(HasSubstr("fills the output with NaN"))));
  c.findings.clear();
  EXPECT_THAT(facts_of(c), Contains("the grader fills the output with NaN before each call"));
}

TEST(Verdict, AMistakesNextStepIsItsLineAndThenWhatAGpuDoes) {
  CaseReport c;
  c.outcome = Outcome::mistake_found;
  c.findings = {{"misaligned", "kernel", "a.cu", 39, "The address is odd."}};
  c.reason = text_reason("a.cu:39: The address is odd.");
  test::sentence_in(c.reason).hint = "A GPU stops the kernel there.";
  EXPECT_EQ(next_of(c), "Fix a.cu:39 first. A GPU stops the kernel there.");
}

TEST(Verdict, AWarningIsAProblemWithItsLineAndNoNote) {
  Grade grade = test::passed_grade();
  CaseReport& c = grade.stages[0].cases[0];
  c.reason = text_reason("right here; a GPU may hide this: fix a.cu:44");
  test::sentence_in(c.reason).hint =
      "The outputs of this run are right by luck. With threads in another order the outputs may be "
      "wrong.";
  c.findings = {{"data_race", "tiled", "a.cu", 44, "Nothing orders the two accesses."},
                {"leak", "", "a.cu", 7, "8 bytes were never freed."}};
  const auto problems = problems_of(grade);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(heading_of(problems), "Problems");
  EXPECT_EQ(problems[0].state, "passed, with a warning");
  EXPECT_EQ(problems[0].reason, test::sentence_in(c.reason).words);
  EXPECT_THAT(problems[0].facts,
              ElementsAre("a.cu:44: data_race in tiled: Nothing orders the two accesses."));
  EXPECT_EQ(problems[0].next, "Fix a.cu:44 first. " + test::sentence_in(c.reason).hint);
  EXPECT_EQ(explain_command(problems, 0), "opgrade explain data_race");
  EXPECT_THAT(notes_of(grade), ElementsAre(HasSubstr("leak (note)")));
  c.outcome = Outcome::wrong_output;
  EXPECT_EQ(problems_of(grade)[0].state, "wrong output");
}

TEST(Verdict, AFindingThatTheReasonTellsIsNotToldAgain) {
  CaseReport c;
  c.reason = text_reason("a.cu:39: The address is odd; shape: B=1 M=1 C=1 H=3 W=3 K=3");
  c.findings = {{"misaligned", "kernel", "a.cu", 39, "The address is odd."},
                {"misaligned", "kernel", "a.cu", 40, "Another one."}};
  EXPECT_THAT(facts_of(c), ElementsAre("a.cu:39: misaligned in kernel",
                                       "a.cu:40: misaligned in kernel: Another one."));
}

TEST(Verdict, UntidinessIsToldWhereNothingElseIs) {
  CaseReport c;
  const Finding leak{"leak", "", "a.cu", 7, "8 bytes were never freed."};
  c.findings = {leak};
  EXPECT_THAT(facts_of(c), ElementsAre("a.cu:7: leak (note): 8 bytes were never freed."));
  c.findings.push_back({"launch_refused", "kernel", "a.cu", 9, "It did not run."});
  EXPECT_THAT(facts_of(c), ElementsAre("a.cu:9: launch_refused in kernel (note): It did not run."));
}

TEST(Verdict, NaNIsExplainedWhereYWasNotWritten) {
  CaseReport c = test::passed_grade().stages[0].cases[0];
  c.outcome = Outcome::wrong_output;
  c.calls.resize(1);
  auto& call = c.calls[0];
  call.layer = "random shape";
  call.check = {.checked = 4, .mismatches = 4, .worst_error = std::nan(""), .first = 0};
  call.check.got = std::nan("");
  call.check.set({"no element was written", Hint::Kind::unwritten});
  c.reason = text_reason("random shape: 4 of 4 elements are wrong");
  EXPECT_THAT(facts_of(c),
              testing::Contains("the grader fills the output with NaN before each call"));
  call.check.set({});
  EXPECT_THAT(facts_of(c), testing::Not(testing::Contains(HasSubstr("NaN before"))));
  EXPECT_THAT(facts_of(c).back(), testing::StartsWith("random shape: B="));
}

TEST(Verdict, AWriteOutsideOfYNamesNoWrongElement) {
  CaseReport c = test::passed_grade().stages[0].cases[0];
  c.outcome = Outcome::wrong_output;
  c.calls.resize(1);
  c.calls[0].layer = "random shape";
  c.calls[0].check = {.checked = 28, .mismatches = 1, .first = -1, .hint = "memory beside y"};
  c.reason = text_reason("random shape: memory beside y");
  EXPECT_THAT(facts_of(c), ElementsAre(testing::StartsWith("random shape: B=")));
  EXPECT_THAT(next_of(c), HasSubstr("Check every index"));
}

TEST(Verdict, FindingsOfCasesThatPassedAreNotes) {
  Grade grade = test::passed_grade();
  grade.notes = {notes::EarlierNote{"no GPU here"}};
  auto& cases = grade.stages[0].cases;
  cases[0].findings = {{"leak", "", "a.cu", 7, "8 bytes were never freed."}};
  cases.push_back(cases[0]);
  cases.push_back(cases[0]);
  cases[1].id = "cpu/other";
  cases[2].outcome = Outcome::crashed;
  cases[2].findings[0].line = 9;
  EXPECT_THAT(
      notes_of(grade),
      ElementsAre("no GPU here", cases[0].id + ": a.cu:7: leak (note): 8 bytes were never freed."));
}

TEST(Verdict, TheHeadlineIsNotToldTwice) {
  Grade grade = grade_with(Outcome::crashed);
  auto problems = problems_of(grade);
  problems[0].reason = "it crashed";
  grade.reason = text_reason("cpu/high/1000: it crashed");
  EXPECT_TRUE(tells_headline(grade, problems));
  grade.reason = text_reason("cpu/random: not run");
  EXPECT_FALSE(tells_headline(grade, problems));
  EXPECT_FALSE(tells_headline(grade, {}));
}

TEST(Verdict, EachTopicIsExplainedOnce) {
  std::vector<Problem> problems(3);
  problems[0].explain = problems[2].explain = "wrong_output";
  problems[1].explain = "crashed";
  EXPECT_EQ(explain_command(problems, 0), "opgrade explain wrong_output");
  EXPECT_EQ(explain_command(problems, 1), "opgrade explain crashed");
  EXPECT_EQ(explain_command(problems, 2), "");
}

TEST(Verdict, ABuildThatFailsIsOneProblemWithItsCommand) {
  Grade grade = grade_with(Outcome::build_failed);
  StageReport& stage = grade.stages[0];
  stage.build.outcome = Outcome::build_failed;
  stage.build.reason = stage.cases[0].reason = text_reason("the compiler refused it");
  stage.cases[0].repeat = Repeat{.path = "me", .config = "x"};
  const auto problems = problems_of(grade);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].reason, "the compiler refused it");
  EXPECT_EQ(problems[0].repeat_command, "opgrade check me --config x --only cpu/high/1000");
  // As a student's view has it.
  CaseReport hidden;
  hidden.hidden = true;
  hidden.outcome = Outcome::build_failed;
  hidden.reason = text_reason("hidden case: does not build");
  stage.cases.push_back(hidden);
  EXPECT_EQ(problems_of(grade).size(), 1u);
}

TEST(Verdict, OnlyTheFirstWrongLayerCounts) {
  CaseReport c = test::passed_grade().stages[0].cases[0];
  for (auto& call : c.calls) call.check.mismatches = 3;
  for (const auto& fact : facts_of(c)) EXPECT_EQ(fact.find("conv2"), fact.npos) << fact;
}

TEST(Verdict, SignalAndExitCodeAreToldOnce) {
  CaseReport c;
  c.usage.signal = 9;
  EXPECT_THAT(facts_of(c), ElementsAre("ended by signal 9"));
  c.usage.limit = Limit{Limit::Kind::wall_time, 60};
  EXPECT_THAT(facts_of(c), ElementsAre("limit reached: wall time 60 s"));
  c.usage = {};
  c.usage.exit_code = 3;
  EXPECT_THAT(facts_of(c), ElementsAre("exit code 3"));
  c.outcome = Outcome::exited_early;
  EXPECT_THAT(facts_of(c), ElementsAre());
  c.usage = {};
  c.usage.signal = 11;
  c.outcome = Outcome::crashed;
  EXPECT_THAT(facts_of(c), ElementsAre());
}

TEST(Verdict, EverySubmissionFaultHasANextStep) {
  for (const auto& words : kOutcomes) {
    const bool nothing = words.outcome == Outcome::passed || words.outcome == Outcome::not_run;
    EXPECT_EQ(default_next(words.outcome).empty(), nothing) << words.id;
  }
}

TEST(Verdict, TheBestHintWins) {
  CaseReport c = test::passed_grade().stages[0].cases[0];
  c.outcome = Outcome::wrong_output;
  c.calls[1].check.mismatches = 1;
  EXPECT_EQ(next_of(c), default_next(Outcome::wrong_output));
  c.calls[1].check.hint = "of the check";
  EXPECT_EQ(next_of(c), "of the check");
  test::sentence_in(c.reason).hint = "of the case";
  EXPECT_EQ(next_of(c), "of the case");
}

TEST(Verdict, AdviceIsNoProblemAndChangesNoStage) {
  Grade grade = test::passed_grade();
  CaseReport c = grade.stages[0].cases[0];
  c.id = "cpu/random";
  c.advice = true;
  c.points.clear();
  EXPECT_THAT(advice_of(grade), ElementsAre());
  c.outcome = Outcome::wrong_output;
  grade.stages[0].cases.push_back(c);
  EXPECT_THAT(problems_of(grade), ElementsAre());
  EXPECT_EQ(outcome_of(grade.stages[0]), Outcome::passed);
  const auto advice = advice_of(grade);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].where, "cpu/random");
  // Beside a case that fails alike it is still advice, and that case a problem.
  grade.stages[0].cases[0].outcome = Outcome::wrong_output;
  ASSERT_EQ(problems_of(grade).size(), 1u);
  EXPECT_THAT(problems_of(grade)[0].also, ElementsAre());
  EXPECT_EQ(advice_of(grade).size(), 1u);
}

TEST(Verdict, NotRunIsNoProblem) { EXPECT_TRUE(problems_of(grade_with(Outcome::not_run)).empty()); }

TEST(Verdict, ASubmissionWithoutStagesStillHasItsProblem) {
  Grade grade;
  grade.outcome = Outcome::refused;
  grade.reason = text_reason("new-forward.cu is missing");
  const auto problems = problems_of(grade);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].reason, "new-forward.cu is missing");
}

TEST(Verdict, AStageIsAsBadAsItsBuildOrItsCases) {
  StageReport stage = test::passed_grade().stages[0];
  EXPECT_EQ(outcome_of(stage), Outcome::passed);
  stage.cases.push_back({});
  EXPECT_EQ(outcome_of(stage), Outcome::passed);
  stage.cases[1].outcome = Outcome::crashed;
  EXPECT_EQ(outcome_of(stage), Outcome::crashed);
  stage.build.outcome = Outcome::build_failed;
  EXPECT_EQ(outcome_of(stage), Outcome::build_failed);
  stage = {};
  stage.build.outcome = Outcome::passed;
  stage.cases.push_back({});
  stage.cases[0].reason = text_reason("no CUDA device");
  EXPECT_TRUE(is_not_run(stage));
  EXPECT_EQ(not_run_reason(stage), "no CUDA device");
}

TEST(Verdict, NamesTheGpuOfEachCase) {
  StageReport stage;
  EXPECT_EQ(ran_on(stage), "");
  stage.cases.resize(3);
  stage.cases[0].id = "gpu/random";
  stage.cases[1].id = "gpu/high/100";
  stage.cases[2].id = "gpu/high/1000";
  EXPECT_EQ(ran_on(stage), "");
  stage.cases[0].gpu = stage.cases[2].gpu = GpuId{"H200", "GPU-1"};
  EXPECT_EQ(ran_on(stage), "H200 (GPU-1)") << "a case that was not run ran nowhere";
  stage.cases[1].gpu = GpuId{"H200", "GPU-2"};
  EXPECT_EQ(ran_on(stage), "H200 (GPU-1): gpu/random, gpu/high/1000; H200 (GPU-2): gpu/high/100");
}

TEST(Notes, ACallThatFailedWithoutHarmIsOneNote) {
  Grade grade = test::passed_grade();
  auto& cases = grade.stages[0].cases;
  cases.push_back(cases[0]);
  why::Right right;
  right.remarks.failed_call = "invalid argument";
  for (auto& c : cases) c.reason = right;
  const auto notes = notes_of(grade);
  EXPECT_EQ(std::ranges::count_if(
                notes, [](const auto& n) { return n.find("invalid argument") != n.npos; }),
            1);
  cases[0].outcome = cases[1].outcome = Outcome::wrong_output;
  EXPECT_THAT(notes_of(grade), testing::Not(testing::Contains(HasSubstr("invalid argument"))));
}

}  // namespace
}  // namespace opgrade::report
