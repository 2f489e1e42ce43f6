#include "grader/report/transcript.hpp"

#include <gtest/gtest.h>

#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

TEST(Transcript, IsTheCoursesForm) {
  EXPECT_EQ(transcript(test::passed_grade(), Audience::student),
            "Test batch size: 1000\n"
            "Loading fashion-mnist data...Done\n"
            "Loading model...Done\n"
            "Conv-CPU==\n"
            "Layer Time: 14 ms\n"
            "Op Time: 12 ms\n"
            "Conv-CPU==\n"
            "Layer Time: 31 ms\n"
            "Op Time: 30 ms\n"
            "\n"
            "Test Accuracy: 0.886\n"
            "1.20user 0.05system 0:01.30elapsed 96%CPU (0avgtext+0avgdata 20480maxresident)k\n"
            "\n");
}

TEST(Transcript, AGpuStageSaysConvGpu) {
  Grade grade = test::passed_grade();
  grade.stages[0].device = Device::cuda;
  const std::string text = transcript(grade, Audience::student);
  EXPECT_NE(text.find("Conv-GPU==\nLayer Time: 14 ms\n"), text.npos) << text;
  EXPECT_EQ(text.find("Conv-CPU"), text.npos);
}

TEST(Transcript, AnEmulatedStageHasNoTimes) {
  Grade grade = test::passed_grade();
  grade.stages[0].device = Device::emulated;
  const std::string text = transcript(grade, Audience::student);
  EXPECT_NE(text.find("Conv-GPU==\nConv-GPU==\n\nTest Accuracy: 0.886\n"), text.npos) << text;
  EXPECT_EQ(text.find("Time:"), text.npos);
}

TEST(Transcript, AStageThatWasNotRunHasNoResults) {
  Grade grade = test::grade_with(Outcome::not_run);
  grade.stages[0].cases[0].reason = "no CUDA device";
  EXPECT_EQ(transcript(grade, Audience::student), "[cpu: not run: no CUDA device]\n\n");
}

TEST(Transcript, WhatWentWrongStandsInBrackets) {
  Grade grade = test::grade_with(Outcome::crashed);
  auto& c = grade.stages[0].cases[0];
  c.calls.clear();
  c.usage = {};
  EXPECT_EQ(transcript(grade, Audience::student), "[cpu/high/1000: crashed: what happened]\n\n");
  grade.stages[0].build = {Outcome::build_failed, "g++ refused it", "", "error", 1};
  c.outcome = Outcome::not_run;
  EXPECT_EQ(transcript(grade, Audience::student), "[cpu: does not build: g++ refused it]\n\n");
  grade = {};
  grade.outcome = Outcome::refused;
  grade.reason = "no files";
  EXPECT_EQ(transcript(grade, Audience::student), "[refused: no files]\n");
}

TEST(Transcript, WhatTheSubmissionPrintedIsNotInIt) {
  Grade grade = test::passed_grade();
  grade.stages[0].cases[0].student_output = "Test Accuracy: 1\n";
  EXPECT_EQ(transcript(grade, Audience::staff), transcript(test::passed_grade(), Audience::staff));
}

TEST(Transcript, RandomShapesTakeTheFormOfTestCases) {
  Grade grade = test::grade_with(Outcome::wrong_output);
  auto& c = grade.stages[0].cases[0];
  c.model = "";
  c.usage = {};
  c.calls.resize(1);
  c.calls[0].shape = {{"B", 1}, {"M", 3}, {"C", 3}, {"H", 224}, {"W", 224}, {"K", 3}, {"S", 1}};
  c.calls[0].check = {
      .checked = 9, .mismatches = 1, .first = 1, .got = 5.39298, .want = 5.7597, .hint = ""};
  EXPECT_EQ(transcript(grade, Audience::student),
            "Running test case 1\n"
            "B = 1 M = 3 C = 3 H = 224 W = 224 K = 3 S = 1\n"
            "Mismatch at index 1 a = 5.39298 b = 5.7597\n"
            "Test case 1 failed\n"
            "[cpu/high/1000: wrong output: what happened]\n\n");
}

TEST(Transcript, ACaseWithSizesLoadsNoImages) {
  Grade grade = test::passed_grade();
  auto& c = grade.stages[0].cases[0];
  c.model = "square";
  c.batch = 0;
  c.accuracy.reset();
  c.usage = {};
  c.calls.resize(1);
  c.calls[0].shape = {{"M", 512}, {"N", 512}, {"K", 512}};
  EXPECT_EQ(transcript(grade, Audience::student),
            "Running test case 1\n"
            "M = 512 N = 512 K = 512\n"
            "Layer Time: 14 ms\n"
            "Op Time: 12 ms\n"
            "All test cases passed\n\n");
}

TEST(Transcript, TheTimeLineIsGnuTimes) {
  UsageReport usage;
  EXPECT_EQ(time_line(usage),
            "0.00user 0.00system 0:00.00elapsed ?%CPU (0avgtext+0avgdata 0maxresident)k");
  usage = {108.5, 100, 7, 1024 * 1024, 0, 0, 0, 0, {}};
  EXPECT_EQ(time_line(usage),
            "100.00user 7.00system 1:48.50elapsed 98%CPU (0avgtext+0avgdata 1024maxresident)k");
  usage = {3725, 0, 0, 0, 0, 0, 0, 0, {}};
  EXPECT_EQ(time_line(usage),
            "0.00user 0.00system 1:02:05elapsed 0%CPU (0avgtext+0avgdata 0maxresident)k");
}

}  // namespace
}  // namespace opgrade::report
