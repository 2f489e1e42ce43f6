#include "grader/report/formats/github.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "grader/base/core/error.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Github, CompilerErrorsStandAtTheirLines) {
  Grade grade = test::grade_with(Outcome::not_run);
  grade.outcome = Outcome::build_failed;
  grade.stages[0].folder = ".";
  grade.stages[0].files = {"cpu-new-forward.cc", "missing.h", "new-forward.cu"};
  grade.stages[0].build = {Outcome::build_failed, text_reason("refused"),
                           "cpu-new-forward.cc:12:7: error: 'x' was not declared, 100% sure\n"
                           "   12 |   x = 3;\n"
                           "new-forward.cu(5): error: expected a \";\"\n"
                           "a.cc:1:2: warning: unused\n"
                           "missing.h:3: fatal error: no such file\n",
                           1};
  const auto lines = lines_of(github_annotations(grade, Audience::student));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0],
            "::error file=cpu-new-forward.cc,line=12,title=does not build::'x' was not declared, "
            "100%25 sure");
  EXPECT_EQ(lines[1], "::error file=new-forward.cu,line=5,title=does not build::expected a \";\"");
  EXPECT_EQ(lines[2], "::error file=missing.h,line=3,title=does not build::no such file");
  EXPECT_EQ(lines[4], "::notice title=opgrade%3A FAILED::0 of 5 points (3 to pass)");
}

TEST(Github, OnlyFilesOfTheSubmissionAreMarked) {
  // What `#line 3 "..."` puts into messages and into the lines that findings name.
  Grade grade = test::grade_with(Outcome::crashed);
  StageReport& stage = grade.stages[0];
  stage.folder = "src/custom";
  stage.files = {"lib/tile.h", "new-forward.cu"};
  stage.build = {Outcome::build_failed, text_reason("refused"),
                 ".github/workflows/ci.yml:3:1: error: a\n"
                 "../../README.md:4: error: b\n"
                 "/etc/passwd:5:1: error: c\n"
                 "grades.py(6): error: d\n"
                 "./lib/tile.h:7:1: error: e\n"
                 "new-forward.cu(8): error: f\n",
                 1};
  stage.cases[0].findings = {{"race", "k", "../x.cu", 9, "g"},
                             {"race", "k", "new-forward.cu", 9, "h"}};
  const std::string text = github_annotations(grade, Audience::student);
  const auto lines = lines_of(text);
  ASSERT_GE(lines.size(), 8u) << text;
  EXPECT_EQ(lines[0], "::error title=does not build::.github/workflows/ci.yml:3: a");
  EXPECT_EQ(lines[1], "::error title=does not build::../../README.md:4: b");
  EXPECT_EQ(lines[2], "::error title=does not build::/etc/passwd:5: c");
  EXPECT_EQ(lines[3], "::error title=does not build::grades.py:6: d");
  EXPECT_EQ(lines[4], "::error file=src/custom/lib/tile.h,line=7,title=does not build::e");
  EXPECT_EQ(lines[5], "::error file=src/custom/new-forward.cu,line=8,title=does not build::f");
  EXPECT_EQ(lines[6], "::error title=cpu/high/1000%3A race::../x.cu:9: g");
  EXPECT_EQ(lines[7],
            "::error file=src/custom/new-forward.cu,line=9,title=cpu/high/1000%3A race::h");
}

TEST(Github, FindingsStandAtTheirLines) {
  Grade grade = test::grade_with(Outcome::crashed);
  grade.stages[0].folder = ".";
  grade.stages[0].files = {"a,b:c%.cu"};
  grade.stages[0].cases[0].findings = {{"race", "k", "a,b:c%.cu", 7, "50% of\r\nit"}};
  const auto lines = lines_of(github_annotations(grade, Audience::student));
  EXPECT_EQ(lines.at(0),
            "::error file=a%2Cb%3Ac%25.cu,line=7,title=cpu/high/1000%3A race::50%25 of  it");
}

TEST(Github, AGraderFaultIsAWarning) {
  const auto lines =
      lines_of(github_annotations(test::grade_with(Outcome::grader_fault), Audience::staff));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].substr(0, 10), "::warning ");
}

TEST(Github, WhatIsNotEmulatedIsAWarningAtItsLine) {
  Grade grade = test::grade_with(Outcome::not_emulated);
  grade.stages[0].folder = ".";
  grade.stages[0].files = {"a.cu"};
  grade.stages[0].cases[0].findings = {{"not_emulated", "k", "a.cu", 7, "no PTX"}};
  const auto lines = lines_of(github_annotations(grade, Audience::student));
  EXPECT_EQ(lines.at(0), "::warning file=a.cu,line=7,title=cpu/high/1000%3A not_emulated::no PTX");
  EXPECT_EQ(lines.at(1).substr(0, 10), "::warning ");
}

TEST(Github, ThereAreNeverMoreThanTheRunnerShows) {
  Grade grade = test::grade_with(Outcome::crashed);
  grade.stages[0].cases[0].findings.assign(50, {"race", "k", "a.cu", 7, "x"});
  EXPECT_EQ(lines_of(github_annotations(grade, Audience::student)).size(), 11u);
}

TEST(Github, GuardedLogsCannotEndTheirGuard) {
  const std::string token = "0123456789abcdef";
  EXPECT_EQ(github_guarded("::error::x", token),
            "::stop-commands::0123456789abcdef\n::error::x\n::0123456789abcdef::\n");
  EXPECT_THROW(github_guarded("::0123456789abcdef::", token), Error);
  EXPECT_THROW(github_guarded("", "short"), Error);
  EXPECT_THROW(github_guarded("", "0123456789abcdef\n::error::"), Error);
}

TEST(Github, TheLogEndsItsGuardBeforeTheAnnotations) {
  Grade grade = test::grade_with(Outcome::wrong_output);
  grade.stages[0].cases[0].student_output = "::error::x\n";
  const auto lines = lines_of(github_log(grade, Audience::student, "0123456789abcdef"));
  EXPECT_EQ(lines.front(), "::stop-commands::0123456789abcdef");
  const auto end = std::find(lines.begin(), lines.end(), "::0123456789abcdef::");
  ASSERT_NE(end, lines.end());
  EXPECT_TRUE(std::none_of(lines.begin() + 1, end,
                           [](const std::string& line) { return line.starts_with("::"); }));
  EXPECT_TRUE((end + 1)->starts_with("::error ")) << *(end + 1);
}

TEST(Github, MarkdownTextHasNoMarkup) {
  EXPECT_EQ(markdown_text("<b>|*_`[x](y)@a #1&"),
            "&#60;b&#62;&#124;&#42;&#95;&#96;&#91;x&#93;(y)&#64;a &#35;1&#38;");
  EXPECT_EQ(markdown_text("a\nb"), "a b");
  EXPECT_EQ(markdown_text("0.886 µs (5/5)"), "0.886 µs (5/5)");
}

TEST(Github, ABlockOutlastsTheFencesInIt) {
  EXPECT_EQ(markdown_block("a"), "```text\na\n```\n");
  EXPECT_EQ(markdown_block("```\n`````\n"), "``````text\n```\n`````\n``````\n");
}

TEST(Github, TheSummaryStaysBelowTheLimit) {
  Grade grade = test::grade_with(Outcome::crashed);
  auto& cases = grade.stages[0].cases;
  cases[0].student_output = std::string(3'000'000, '\n');
  EXPECT_LT(github_summary(grade, Audience::staff).size(), 1024u * 1024);
  cases[0].student_output.clear();
  cases.assign(1500, cases[0]);
  for (auto& c : cases) c.id = std::string(400, '<');
  EXPECT_LT(github_summary(grade, Audience::staff).size(), 1024u * 1024);
}

TEST(Github, TheSummaryHidesHiddenCases) {
  Grade grade = test::grade_with(Outcome::crashed);
  grade.stages[0].cases[0].hidden = true;
  const std::string text = github_summary(grade, Audience::student);
  EXPECT_EQ(text.find("cpu/high"), text.npos) << text;
  EXPECT_NE(text.find("hidden 1"), text.npos) << text;
}

}  // namespace
}  // namespace opgrade::report
