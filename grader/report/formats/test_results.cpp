#include "grader/report/formats/test_results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/report/words/case_facts.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/repeat.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {
namespace {

bool is_fault(Outcome outcome) {
  return is_submission_fault(outcome) || outcome == Outcome::grader_fault;
}

TestEnd end_of(Outcome outcome) {
  if (outcome == Outcome::passed) return TestEnd::passed;
  if (outcome == Outcome::grader_fault) return TestEnd::error;
  return is_undecided(outcome) ? TestEnd::skipped : TestEnd::failed;
}

TestEnd end_of(const CaseReport& c) {
  if (c.outcome == Outcome::passed) return has_problem(c) ? TestEnd::warned : TestEnd::passed;
  return c.advice ? TestEnd::skipped : end_of(c.outcome);
}

std::string message_of(Outcome outcome, const Reason& reason) {
  if (outcome == Outcome::passed) return "";
  std::string sentence = sentence_of(reason);
  return sentence.empty() ? std::string(words(outcome).text) : sentence;
}

std::string message_of(const CaseReport& c, TestEnd end) {
  if (end == TestEnd::warned) return fmt::format("{}: {}", state_of(c), sentence_of(c.reason));
  std::string message = message_of(c.outcome, c.reason);
  const bool advises = c.advice && end == TestEnd::skipped;
  return advises ? fmt::format("{} {}", kAdvice, message) : message;
}

std::string details_of(const StageReport& stage, const CaseReport& c) {
  std::string text;
  for (const auto& fact : facts_of(c)) text += fact + "\n";
  text += fmt::format("next: {}\n", next_in(stage, c));
  if (c.repeat) text += fmt::format("again: {}\n", repeat_command(c));
  return text;
}

TestResult test_of_case(const StageReport& stage, const CaseReport& c) {
  const TestEnd end = end_of(c);
  const bool explained = is_fault(c.outcome) || end == TestEnd::warned;
  return {.stage = &stage,
          .of_case = &c,
          .name = c.id,
          .elapsed_s = c.usage.elapsed_s,
          .outcome = c.outcome,
          .end = end,
          .message = message_of(c, end),
          .details = explained ? details_of(stage, c) : "",
          .printed = c.student_output};
}

TestResult test_of_build(const StageReport& stage) {
  const auto& build = stage.build;
  TestResult test{.stage = &stage,
                  .name = "build",
                  .outcome = build.outcome,
                  .end = end_of(build.outcome),
                  .message = message_of(build.outcome, build.reason)};
  if (build.outcome == Outcome::not_run) return test;
  test.elapsed_s = build.elapsed_s;
  test.details = hint_of(build.reason);
  test.compiler_output = build.compiler_output;
  return test;
}

void add_tests(std::vector<TestResult>& tests, const StageReport& stage) {
  const Outcome build = stage.build.outcome;
  const bool tells_build =
      build == Outcome::not_run ? stage.cases.empty() : build != Outcome::passed;
  if (tells_build) tests.push_back(test_of_build(stage));
  for (const auto& c : stage.cases) tests.push_back(test_of_case(stage, c));
}

TestResult test_of_submission(const Grade& view) {
  return {.name = "submission",
          .outcome = view.outcome,
          .end = end_of(view.outcome),
          .message = message_of(view.outcome, view.reason),
          .details = is_fault(view.outcome) ? std::string(default_next(view.outcome)) : ""};
}

}  // namespace

std::vector<TestResult> test_results_of(const Grade& view) {
  std::vector<TestResult> tests;
  for (const auto& stage : view.stages) add_tests(tests, stage);
  const bool shows_fault = std::ranges::any_of(tests, [](const TestResult& test) {
    return test.end == TestEnd::failed || test.end == TestEnd::error;
  });
  if (view.stages.empty() || (is_fault(view.outcome) && !shows_fault))
    tests.push_back(test_of_submission(view));
  return tests;
}

}  // namespace opgrade::report
