#include "grader/report/fields/view.hpp"

#include <gtest/gtest.h>

#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/repeat.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

Grade with_hidden_case() {
  Grade grade = test::passed_grade();
  auto& stage = grade.stages[0];
  CaseReport c = test::full_grade().stages[0].cases[0];
  c.id = "cpu/secret/100";
  c.reason = text_reason("conv9 is wrong in row 17");
  c.hidden = true;
  stage.cases.insert(stage.cases.begin(), c);
  stage.points = {
      {"Op Time of cpu/secret/100", 1, 2, text_reason("cpu/secret/100 took 9 s"), false},
      {"Op Time", 1, 2, text_reason("cpu/secret/1000 is another name"), false}};
  grade.outcome = Outcome::wrong_output;
  grade.reason = text_reason("cpu/secret/100: conv9 is wrong in row 17");
  grade.notes = {notes::EarlierNote{"cpu/secret/100 ran twice"}, notes::EarlierNote{"no cgroup"}};
  return grade;
}

TEST(View, ThePathOfASubmissionIsForStaffAndWhole) {
  Grade grade = test::passed_grade();
  grade.submission_path = "/" + std::string(4000, 'x');
  EXPECT_EQ(view_for(grade, Audience::staff).submission_path, grade.submission_path);
  EXPECT_EQ(view_for(grade, Audience::student).submission_path, "");
}

TEST(View, OfANamedCaseStudentsSeeNameOutcomeAndPoints) {
  Grade grade = with_hidden_case();
  grade.stages[0].cases[0].hidden = false;
  grade.stages[0].cases[0].visibility = Visibility::name;
  const Grade view = view_for(grade, Audience::student);
  const auto& c = view.stages[0].cases[0];
  EXPECT_EQ(c.id, "cpu/secret/100");
  EXPECT_EQ(c.outcome, Outcome::wrong_output);
  EXPECT_EQ(c.points[0].points, 71.5);
  EXPECT_TRUE(c.calls.empty());
  EXPECT_TRUE(c.findings.empty());
  EXPECT_EQ(sentence_of(c.reason), "its details are for the staff");
  EXPECT_EQ(sentence_of(view.reason).find("row 17"), std::string::npos);
}

TEST(View, AfterTheDeadlineACaseIsOpen) {
  Grade grade = with_hidden_case();
  grade.stages[0].cases[0].visibility = Visibility::after_deadline;
  EXPECT_EQ(view_for(grade, Audience::student).stages[0].cases[0].id, "hidden 1");
  const Grade view = view_for(after_deadline(grade), Audience::student);
  EXPECT_EQ(view.stages[0].cases[0].id, "cpu/secret/100");
  EXPECT_FALSE(view.stages[0].cases[0].calls.empty());
}

TEST(View, StudentsSeeOutcomeAndPointsOfAHiddenCase) {
  const Grade view = view_for(with_hidden_case(), Audience::student);
  const auto& c = view.stages[0].cases[0];
  EXPECT_EQ(c.id, "hidden 1");
  EXPECT_TRUE(c.hidden);
  EXPECT_EQ(c.outcome, Outcome::wrong_output);
  ASSERT_EQ(c.points.size(), 1u);
  EXPECT_EQ(c.points[0].points, 71.5);
  EXPECT_EQ(c.points[0].max_points, 72.5);
  EXPECT_TRUE(c.points[0].open);
  EXPECT_EQ(c.model, "");
  EXPECT_EQ(c.batch, 0);
  EXPECT_TRUE(c.calls.empty());
  EXPECT_FALSE(c.accuracy);
  EXPECT_FALSE(c.required_accuracy);
  EXPECT_TRUE(c.findings.empty());
  EXPECT_EQ(c.usage.elapsed_s, 0);
  EXPECT_EQ(c.student_output, "");
  EXPECT_FALSE(c.repeat);
}

TEST(View, NoTextElsewhereNamesAHiddenCase) {
  Grade view = view_for(with_hidden_case(), Audience::student);
  test::for_each_text(view, [](const std::string& text) {
    EXPECT_EQ(text.find("secret/100 "), text.npos) << text;
    EXPECT_EQ(text.find("secret/100:"), text.npos) << text;
    EXPECT_EQ(text.find("conv9"), text.npos) << text;
  });
  EXPECT_EQ(sentence_of(view.reason), "a hidden case: wrong output");
  EXPECT_EQ(view.notes, std::vector<Note>{notes::EarlierNote{"no cgroup"}});
  // A longer name that only begins alike is another case's.
  EXPECT_EQ(test::sentence_in(view.stages[0].points[1].reason).words,
            "cpu/secret/1000 is another name");
  EXPECT_EQ(view.stages[0].cases[1].id, "cpu/high/1000");
}

TEST(View, AStudentsReportOfAClassHasNoSeedAndNoPathOfStaff) {
  Grade grade = test::full_grade();
  grade.seed = 17;
  CaseReport& c = grade.stages[0].cases[0];
  c.id = "gpu/random";
  c.repeat = {"/srv/class/ada b", "/srv/our courses/m1.yaml", Device::emulated, 17};
  const auto command = [&](Audience audience) {
    return repeat_command(view_for(grade, audience).stages[0].cases[0]);
  };
  const std::string all =
      "opgrade check '/srv/class/ada b' --config '/srv/our courses/m1.yaml' --only gpu/random "
      "--device emulated --seed 17";
  EXPECT_FALSE(view_for(grade, Audience::student).seed);
  EXPECT_EQ(command(Audience::student),
            "opgrade check . --config m1.yaml --only gpu/random --device emulated");
  EXPECT_EQ(view_for(grade, Audience::staff).seed, 17u);
  EXPECT_EQ(command(Audience::staff), all);
  grade.by_author = true;
  EXPECT_EQ(view_for(grade, Audience::student).seed, 17u) << "the student's own run";
  EXPECT_EQ(command(Audience::student), all);
}

TEST(View, StaffSeeHiddenCases) {
  const Grade view = view_for(with_hidden_case(), Audience::staff);
  EXPECT_EQ(test::sentence_in(view.stages[0].cases[0].reason).words, "conv9 is wrong in row 17");
  EXPECT_EQ(view.notes.size(), 2u);
}

TEST(View, ASentenceThatAVisibleCaseSaysIsNoSecret) {
  Grade grade = with_hidden_case();
  grade.reason = grade.stages[0].cases[1].reason = text_reason("conv9 is wrong in row 17");
  EXPECT_EQ(sentence_of(view_for(grade, Audience::student).reason), "conv9 is wrong in row 17");
}

TEST(View, EveryTextIsCleaned) {
  Grade grade = test::full_grade();
  test::for_each_text(grade, [](std::string& text) { text = "\x1b[2J\xff" + text; });
  Grade view = view_for(grade, Audience::staff);
  test::for_each_text(view, [](const std::string& text) {
    EXPECT_EQ(text.substr(0, 11), "\\x1b[2J\\xff") << text;
  });
}

TEST(View, OutputsKeepTheirLinesAndOtherTextsHaveOne) {
  Grade grade = test::full_grade();
  test::for_each_text(grade, [](std::string& text) { text = "a\nb\rc\td"; });
  Grade view = view_for(grade, Audience::staff);
  EXPECT_EQ(view.stages[0].cases[0].student_output, "a\nb\nc\td");
  EXPECT_EQ(view.stages[0].build.compiler_output, "a\nb\nc\td");
  EXPECT_EQ(view.submission, "a b c d");
  EXPECT_EQ(view.stages[0].cases[0].findings[0].message, "a b c d");
}

TEST(View, CommandsOfCiRunnersAreSpelledOut) {
  EXPECT_EQ(one_line("::error::x"), "\\x3a:error::x");
  EXPECT_EQ(one_line("a ::error::x"), "a \\x3a:error::x");
  EXPECT_EQ(one_line("a##[set-env]x"), "a\\x23#[set-env]x");
  EXPECT_EQ(one_line("##vso[task]x ##teamcity[x]"), "\\x23#vso[task]x \\x23#teamcity[x]");
  EXPECT_EQ(one_line("###[x] ##"), "#\\x23#[x] ##");
  EXPECT_EQ(one_line("'std::vector' and '::x'"), "'std::vector' and '::x'");
}

TEST(View, HugeOutputIsCutWithAMark) {
  Grade grade = test::passed_grade();
  std::string& output = grade.stages[0].cases[0].student_output;
  output.assign(10'000'000, 'x');
  EXPECT_LT(view_for(grade, Audience::staff).stages[0].cases[0].student_output.size(), 1000u);
  output.clear();
  for (int i = 0; i < 500'000; ++i) output += "line of text\n";
  const std::string shown = view_for(grade, Audience::staff).stages[0].cases[0].student_output;
  EXPECT_LT(shown.size(), kMaxOutput + 100);
  EXPECT_NE(shown.find("[output cut]"), shown.npos);
}

TEST(View, ViewingTwiceChangesNothing) {
  Grade grade = test::full_grade();
  std::string all;
  for (int i = 0; i < 2000; ++i) all += static_cast<char>(i * 7);
  test::for_each_text(grade, [&](std::string& text) { text = "::##[" + all; });
  Grade once = view_for(grade, Audience::staff), twice = view_for(once, Audience::staff);
  std::vector<std::string> first, second;
  test::for_each_text(once, [&](std::string& text) { first.push_back(text); });
  test::for_each_text(twice, [&](std::string& text) { second.push_back(text); });
  EXPECT_EQ(first, second);
}

TEST(View, FirstLinesSayHowManyAreLeftOut) {
  EXPECT_EQ(first_lines("a\nb\n", 2), "a\nb");
  EXPECT_EQ(first_lines("a\nb\nc\nd\n", 2), "a\nb\n[2 more lines]");
  EXPECT_EQ(first_lines("", 2), "");
}

}  // namespace
}  // namespace opgrade::report
