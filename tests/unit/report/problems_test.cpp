// Cases that fail alike are one problem; others are told one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>

#include "grader/report/formats/exporters.hpp"
#include "grader/report/words/case_facts.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/verdict.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

using test::grade_with;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Verdict, CasesThatFailAlikeAreOneProblem) {
  Grade grade = grade_with(Outcome::crashed);
  auto& cases = grade.stages[0].cases;
  cases.push_back(cases[0]);
  cases[1].id = "cpu/high/10000";
  cases.push_back(cases[0]);
  cases[2].outcome = Outcome::out_of_time;
  const auto problems = problems_of(grade);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].where, "cpu/high/1000");
  EXPECT_THAT(problems[0].also, ElementsAre("cpu/high/10000"));
  EXPECT_EQ(problems[1].outcome, Outcome::out_of_time);
}

/// A stage with two cases of the same outcome; a test then gives each its own details.
struct TwoCases {
  Grade grade = grade_with(Outcome::wrong_output);
  CaseReport& first;
  CaseReport& second;
  TwoCases() : first(add("cpu/random")), second(add("cpu/high/1000")) {}
  CaseReport& add(const char* id) {
    auto& cases = grade.stages[0].cases;
    if (cases.size() == 1) {
      cases.push_back(cases[0]);
      for (auto& c : cases)
        test::sentence_in(c.reason).hint.clear(), c.findings.clear(), c.calls.clear();
    }
    auto& c = cases[id == std::string("cpu/random") ? 0 : 1];
    c.id = id;
    return c;
  }
};

// Course platforms show one case at a time.
TEST(Verdict, APerTestReportNamesTheCauseThatAnotherCaseHas) {
  TwoCases two;
  two.first.findings = {{"data_race", "kernel", "a.cu", 39, "it races"}};
  for (const char* format : {"gradescope", "junit", "prairielearn"}) {
    const std::string text = exporter(format).write(two.grade, {Audience::student});
    const auto second = text.find("cpu/high/1000");
    ASSERT_NE(second, text.npos) << format;
    EXPECT_THAT(text.substr(second),
                HasSubstr("cpu/random names the likely cause: a.cu:39: data_race in kernel"))
        << format;
  }
  EXPECT_EQ(next_in(two.grade.stages[0], two.first), next_of(two.first));
  two.first.hidden = true;
  EXPECT_EQ(next_in(two.grade.stages[0], two.second), next_of(two.second));
}

TEST(Verdict, ALeakIsANoteBesideWhatExplainsTheFailure) {
  TwoCases two;
  two.first.findings = {{"data_race", "kernel", "a.cu", 39, "it races"},
                        {"leak", "", "a.cu", 12, "8 bytes were never freed"}};
  EXPECT_THAT(notes_of(two.grade),
              testing::Contains("cpu/random: a.cu:12: leak (note): 8 bytes were never freed"));
  two.first.outcome = Outcome::crashed;
  EXPECT_THAT(notes_of(two.grade), testing::Not(testing::Contains(HasSubstr("leak"))))
      << "what ended early could free nothing";
}

TEST(Verdict, APassSaysWhatWasNotCheckedAndTheCommandThatDoes) {
  Grade grade = test::passed_grade();
  grade.stages.resize(1);
  StageReport& stage = grade.stages[0];
  for (auto& c : stage.cases) c.repeat = Repeat{.path = "mine", .config = "x"};
  EXPECT_THAT(notes_of(grade), testing::Not(testing::Contains(HasSubstr("opgrade check"))));
  stage.device = Device::emulated;
  EXPECT_THAT(
      notes_of(grade),
      testing::Contains(HasSubstr(
          ". On a machine with a GPU: opgrade check mine --config x --device cuda --sanitize")));
  stage.device = Device::cuda;
  EXPECT_THAT(notes_of(grade),
              testing::Contains(HasSubstr(": opgrade check mine --config x --device emulated")));
  grade.notes.push_back(notes::SanitizerFoundNothing{"cpu"});
  EXPECT_THAT(notes_of(grade), testing::Not(testing::Contains(HasSubstr("emulated device does"))));
}

TEST(Verdict, ACaseThatATimeOutSkippedIsNoProblemOfItsOwn) {
  TwoCases two;
  for (auto* c : {&two.first, &two.second}) c->outcome = Outcome::out_of_time;
  two.first.reason = why::StoppedAtLimit{.limit = Limit{Limit::Kind::wall_time, 60}};
  two.second.reason = why::DoesNotLoad{};
  EXPECT_EQ(problems_of(two.grade).size(), 2u);
  for (const Reason& skipped : {Reason(why::AfterTimeOut{"cpu/random"}),
                                Reason(why::SmallerTimedOut{}), Reason(why::SimilarTimedOut{})}) {
    two.second.reason = skipped;
    EXPECT_EQ(problems_of(two.grade).size(), 1u) << sentence_of(skipped);
  }
  two.second.reason = text_reason("of 0.1.0");
  EXPECT_EQ(problems_of(two.grade).size(), 2u);
  two.second.usage = {};
  EXPECT_EQ(problems_of(two.grade).size(), 1u) << "no process of it ran";
}

TEST(Verdict, AnotherFindingIsAnotherProblem) {
  TwoCases two;
  two.first.findings = {{"data_race", "kernel", "a.cu", 39, "it races"}};
  two.second.findings = two.first.findings;
  EXPECT_EQ(problems_of(two.grade).size(), 1u);
  two.second.findings.push_back({"out_of_bounds", "kernel", "a.cu", 52, "it writes past y"});
  const auto problems = problems_of(two.grade);
  ASSERT_EQ(problems.size(), 2u) << "line 52 must not be hidden";
  EXPECT_THAT(problems[1].facts, testing::Contains(HasSubstr("a.cu:52")));
  EXPECT_THAT(problems[0].also, ElementsAre());
}

TEST(Verdict, FewerFindingsAreTheSameProblem) {
  TwoCases two;
  two.first.findings = {{"data_race", "kernel", "a.cu", 39, "it races"},
                        {"out_of_bounds", "kernel", "a.cu", 52, "it writes past y"}};
  two.second.findings = {two.first.findings[1]};
  const auto problems = problems_of(two.grade);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0].also, ElementsAre("cpu/high/1000"));
}

TEST(Verdict, AnotherExplanationIsAnotherProblem) {
  TwoCases two;
  test::sentence_in(two.first.reason).hint =
      "images 0 to 3 are right, from image 4 on they are not";
  test::sentence_in(two.second.reason).hint =
      "images 0 to 95 are right, from image 96 on they are not";
  EXPECT_EQ(problems_of(two.grade).size(), 1u) << "only the numbers differ";
  test::sentence_in(two.second.reason).hint = "every element is zero";
  EXPECT_EQ(problems_of(two.grade).size(), 2u);
}

TEST(Verdict, AnotherWayToCrashIsAnotherProblem) {
  TwoCases two;
  for (auto* c : {&two.first, &two.second}) c->outcome = Outcome::crashed;
  const auto crash = [](int signal) {
    return why::Crashed{.ending = {.operation = "convolution"}, .signal = signal};
  };
  two.first.reason = two.second.reason = crash(SIGSEGV);
  two.first.reason.shape = "B=1 M=3 C=2 H=8 W=9 K=3";
  EXPECT_EQ(problems_of(two.grade).size(), 1u);
  two.second.reason = crash(SIGFPE);
  EXPECT_EQ(problems_of(two.grade).size(), 2u);
}

TEST(Verdict, AHiddenCaseWithoutDetailsJoinsTheOneThatFailsAlike) {
  TwoCases two;
  test::sentence_in(two.first.reason).hint = "every element is zero";
  two.second = CaseReport{.id = "hidden 1", .hidden = true, .outcome = Outcome::wrong_output};
  const auto problems = problems_of(two.grade);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0].also, ElementsAre("hidden 1"));
}

}  // namespace
}  // namespace opgrade::report
