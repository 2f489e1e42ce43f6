#include "grader/report/formats/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "grader/report/formats/exporters.hpp"
#include "grader/report/words/text_layout.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

using testing::HasSubstr;

std::string text_of(const Grade& grade, TextStyle style = {}) {
  return text_report(grade, Audience::student, style);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

Grade wrong() {
  Grade grade = test::grade_with(Outcome::wrong_output);
  auto& c = grade.stages[0].cases[0];
  c.calls[1].check = {.checked = 10,
                      .mismatches = 4,
                      .worst_error = 2,
                      .error_scale = ErrorScale::image,
                      .tolerance = 0.5,
                      .first = 6,
                      .place = {{"b", 1}, {"m", 2}, {"h", 3}, {"w", 4}},
                      .got = 7,
                      .want = 8,
                      .hint = "look at row 3"};
  c.repeat = Repeat{.path = ".", .config = "x"};
  return grade;
}

TEST(Text, TheVerdictComesFirstAndSaysWhatToDo) {
  const std::string text = text_of(wrong());
  std::size_t last = 0;
  for (const std::string part :
       {"FAILED  0 of 5 points (3 to pass)", "Problems", "cpu/high/1000: wrong output",
        "conv2 at (b=1, m=2, h=3, w=4): got 7, want 8", "next:  look at row 3",
        "again: opgrade check . --config x --only cpu/high/1000",
        "more:  opgrade explain wrong_output", "CPU convolution"}) {
    const auto at = text.find(part);
    ASSERT_NE(at, text.npos) << part << "\nin\n" << text;
    EXPECT_GE(at, last) << part << " is too early";
    last = at;
  }
}

TEST(Text, AnErrorHasItsScale) {
  EXPECT_THAT(text_of(wrong(), {.width = 140}),
              HasSubstr("worst error 2, allowed 0.5, relative to the largest output of its image"));
  const std::string page = exporter("html").write(wrong(), {});
  EXPECT_THAT(page, HasSubstr("Worst error: the largest difference to the expected output, "
                              "relative to the largest output of its image."));
}

TEST(Text, PointsAreListedWhereTheTablesDoNotTellThem) {
  Grade grade = wrong();
  EXPECT_FALSE(holds(text_of(grade), "\nPoints\n")) << text_of(grade);
  auto& stage = grade.stages[0];
  stage.points = {
      {.name = "Op Time", .points = 1, .max_points = 2, .reason = text_reason("12 ms")}};
  EXPECT_TRUE(holds(text_of(grade), "\nPoints\n"));
  stage.points.clear();
  stage.cases[0].points.push_back(stage.cases[0].points.front());
  EXPECT_TRUE(holds(text_of(grade), "\nPoints\n"));
  Grade right = test::passed_grade();
  right.stages[0].cases[0].points = {{.name = "right outputs",
                                      .points = 0,
                                      .max_points = 2,
                                      .reason = text_reason("it loads too much")}};
  EXPECT_TRUE(holds(text_of(right), "it loads too much")) << "a right case that lost points";
}

TEST(Text, KernelTimeStandsBesideOpTime) {
  Grade grade = test::passed_grade();
  for (auto& call : grade.stages[0].cases[0].calls) call.kernel_time_ms = 2.25;
  EXPECT_TRUE(holds(text_of(grade), "42.0 ms +-0.0 % (kernels 4.50 ms)")) << text_of(grade);
}

TEST(Text, ATableShowsTimesAndPoints) {
  const std::string text = text_of(test::passed_grade());
  EXPECT_TRUE(holds(text,
                    "  case           outcome  accuracy          Op Time  Layer Time  points\n"
                    "  cpu/high/1000  passed      0.886  42.0 ms +-0.0 %     45.0 ms     5/5\n"))
      << text;
}

TEST(Text, AStageThatWasNotRunSaysSoAndNothingElse) {
  Grade grade = test::grade_with(Outcome::not_run);
  grade.stages[0].title = "GPU convolution";
  grade.stages[0].device = Device::cuda;
  grade.stages[0].cases[0].reason = text_reason("no CUDA device on this machine");
  grade.stages[0].cases[0].points[0].open = true;
  grade.open_points = 5;
  const std::string text = text_of(grade);
  EXPECT_TRUE(holds(text, "GPU convolution - not run: no CUDA device on this machine")) << text;
  EXPECT_TRUE(holds(text, "open: ")) << text;
  EXPECT_FALSE(holds(text, "passed")) << text;
  EXPECT_FALSE(holds(text, "FAILED")) << text;
  EXPECT_FALSE(holds(text, "Problems")) << text;
}

TEST(Text, AnEmulatedStageHasNoTimes) {
  Grade grade = test::passed_grade();
  grade.stages[0].device = Device::emulated;
  const std::string text = text_of(grade);
  EXPECT_FALSE(holds(text, "Op Time")) << text;
  EXPECT_FALSE(holds(text, "42.0")) << text;
  EXPECT_TRUE(holds(text, "emulated (no times)")) << text;
}

TEST(Text, AHiddenCaseShowsOutcomeAndPointsOnly) {
  Grade grade = wrong();
  grade.stages[0].cases[0].hidden = true;
  const std::string text = text_of(grade);
  EXPECT_TRUE(holds(text, "hidden 1: wrong output")) << text;
  EXPECT_TRUE(holds(text, "0/5")) << text;
  for (const char* secret : {"cpu/high", "conv2", "0.886", "row 3", "Time", "what happened"}) {
    EXPECT_FALSE(holds(text, secret)) << secret << "\nin\n" << text;
  }
  EXPECT_TRUE(holds(text_report(grade, Audience::staff, {}), "conv2 at (b=1, m=2, h=3, w=4)"));
}

TEST(Text, OutputOfTheSubmissionIsMarkedAndShort) {
  Grade grade = wrong();
  std::string output = "FAILED\nPASSED  5 of 5 points\n";
  for (int i = 0; i < 100; ++i) output += std::string(400, 'x') + "\n";
  grade.stages[0].cases[0].student_output = output;
  const std::string text = text_of(grade);
  EXPECT_TRUE(holds(text, "    | PASSED  5 of 5 points\n")) << text;
  EXPECT_FALSE(holds(text, "\nPASSED")) << text;
  EXPECT_TRUE(holds(text, "    | [82 more lines]\n")) << text;
  EXPECT_LT(text.size(), 6000u);
}

TEST(Text, NoLineIsTooWide) {
  Grade grade = test::full_grade();
  grade.stages[0].cases[0].repeat.reset();
  test::for_each_text(grade, [](std::string& text) {
    if (!text.empty()) text += " and many more words of text after it 漢字漢字漢字漢字漢字漢字漢字";
  });
  for (const int width : {40, 60, 80, 120}) {
    std::istringstream lines(text_of(grade, {.colour = false, .unicode = true, .width = width}));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(Text, AsciiIsAscii) {
  Grade grade = wrong();
  grade.submission = "Zoë";
  for (const char c : text_of(grade)) EXPECT_TRUE(static_cast<unsigned char>(c) < 0x80);
  EXPECT_TRUE(holds(text_of(grade), "Zo?"));
}

TEST(Text, ColourIsOnlyWhereAskedFor) {
  EXPECT_FALSE(holds(text_of(wrong()), "\x1b"));
  EXPECT_TRUE(holds(text_of(wrong(), {.colour = true}), "\x1b[31mFAILED\x1b[0m"));
  EXPECT_TRUE(holds(text_of(test::passed_grade(), {.colour = true}), "\x1b[32mPASSED\x1b[0m"));
}

}  // namespace
}  // namespace opgrade::report
