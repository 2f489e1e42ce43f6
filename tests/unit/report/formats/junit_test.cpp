#include "grader/report/formats/junit.hpp"

#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

pugi::xml_document parsed(const Grade& grade, Audience audience = Audience::staff) {
  pugi::xml_document document;
  const auto result = document.load_string(junit_report(grade, audience).c_str());
  EXPECT_TRUE(result) << result.description();
  return document;
}

struct Counts {
  int tests, failures, errors, skipped;
  friend bool operator==(const Counts&, const Counts&) = default;
};

Counts declared(pugi::xml_node node) {
  return {node.attribute("tests").as_int(-1), node.attribute("failures").as_int(-1),
          node.attribute("errors").as_int(-1), node.attribute("skipped").as_int(-1)};
}

Counts counted(const pugi::xml_document& document) {
  const auto count = [&](const char* path) {
    return static_cast<int>(document.select_nodes(path).size());
  };
  return {count("//testcase"), count("//failure"), count("//error"), count("//skipped")};
}

TEST(Junit, EveryOutcomeBecomesItsElement) {
  for (const auto& words : kOutcomes) {
    const auto document = parsed(test::grade_with(words.outcome));
    const auto root = document.child("testsuites");
    Counts want{1, 1, 0, 0};
    if (words.outcome == Outcome::passed) want = {1, 0, 0, 0};
    if (words.outcome == Outcome::grader_fault) want = {1, 0, 1, 0};
    if (words.outcome == Outcome::not_run || words.outcome == Outcome::not_emulated)
      want = {1, 0, 0, 1};
    EXPECT_EQ(counted(document), want) << words.id;
    EXPECT_EQ(declared(root), want) << words.id;
    EXPECT_EQ(declared(root.child("testsuite")), want) << words.id;
  }
}

TEST(Junit, ATestCaseTellsWhatHappened) {
  Grade grade = test::grade_with(Outcome::wrong_output);
  auto& c = grade.stages[0].cases[0];
  c.calls[1].check = {.checked = 10,
                      .mismatches = 4,
                      .worst_error = 2,
                      .tolerance = 0.5,
                      .first = 6,
                      .place = {{"b", 1}, {"m", 2}, {"h", 3}, {"w", 4}},
                      .got = 7,
                      .want = 8,
                      .hint = "look at row 3"};
  c.student_output = "printed";
  grade.machine.started = "2026-03-01T02:00:00Z";
  const auto document = parsed(grade);
  const auto suite = document.child("testsuites").child("testsuite");
  EXPECT_STREQ(suite.attribute("name").value(), "cpu");
  EXPECT_STREQ(suite.attribute("timestamp").value(), "2026-03-01T02:00:00Z");
  const auto test = suite.child("testcase");
  EXPECT_STREQ(test.attribute("name").value(), "cpu/high/1000");
  EXPECT_STREQ(test.attribute("classname").value(), "cpu");
  EXPECT_STREQ(test.attribute("time").value(), "1.300");
  EXPECT_STREQ(test.child("system-out").text().get(), "printed");
  const auto failure = test.child("failure");
  EXPECT_STREQ(failure.attribute("message").value(), "what happened");
  EXPECT_STREQ(failure.attribute("type").value(), "wrong_output");
  const std::string text = failure.text().get();
  EXPECT_NE(text.find("conv2 at (b=1, m=2, h=3, w=4): got 7, want 8"), text.npos) << text;
  EXPECT_NE(text.find("next: look at row 3"), text.npos) << text;
}

TEST(Junit, ABuildThatFailedIsATestCase) {
  Grade grade = test::grade_with(Outcome::not_run);
  grade.outcome = Outcome::build_failed;
  grade.stages[0].build = {Outcome::build_failed, text_reason("g++ refused it"),
                           "x.cc:1:1: error: no", 1};
  const auto document = parsed(grade);
  EXPECT_EQ(counted(document), (Counts{2, 1, 0, 1}));
  const auto test = document.child("testsuites").child("testsuite").child("testcase");
  EXPECT_STREQ(test.attribute("name").value(), "build");
  EXPECT_STREQ(test.child("system-err").text().get(), "x.cc:1:1: error: no");
}

TEST(Junit, ABadGradeIsNeverGreen) {
  Grade grade;
  grade.outcome = Outcome::refused;
  EXPECT_EQ(counted(parsed(grade)), (Counts{1, 1, 0, 0}));
  grade = test::passed_grade();
  grade.outcome = Outcome::grader_fault;
  EXPECT_EQ(counted(parsed(grade)), (Counts{2, 0, 1, 0}));
  grade = {};
  EXPECT_EQ(counted(parsed(grade)), (Counts{1, 0, 0, 1}));
}

TEST(Junit, MarkupInTextsStaysText) {
  Grade grade = test::grade_with(Outcome::crashed);
  const std::string evil = "]]></failure><testcase name=\"x\"/><!-- & \"q\"";
  grade.stages[0].cases[0].student_output = evil;
  grade.stages[0].cases[0].reason = text_reason(evil);
  const auto document = parsed(grade);
  EXPECT_EQ(counted(document), (Counts{1, 1, 0, 0}));
  const auto test = document.child("testsuites").child("testsuite").child("testcase");
  EXPECT_EQ(test.child("system-out").text().get(), evil);
  EXPECT_EQ(test.child("failure").attribute("message").value(), evil);
}

}  // namespace
}  // namespace opgrade::report
