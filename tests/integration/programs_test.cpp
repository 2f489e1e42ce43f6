// The verbs that are programs of their own: `opgrade ladder` and `opgrade baseline`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>

#include "grader/baseline/stopwatch.hpp"
#include "tests/support/opgrade_program.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using test::exit_code;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

bool built(const char* program) {
  return fs::exists(fs::path(OPGRADE_BINARY_DIR "/bin") / program);
}

const bool kHaveGpu = fs::exists("/dev/nvidiactl");

// The course's own accuracies for these weights at 10 and 100 images.
TEST(Baseline, OnednnReachesTheCoursesAccuracies) {
  const test::Workplace place;
  for (const auto& [batch, line] : {std::pair{"10", "Test Accuracy: 1.0000 (10 of 10)"},
                                    std::pair{"100", "Test Accuracy: 0.8600 (86 of 100)"}}) {
    const auto report = place.run({"baseline", "--device", "cpu", "--batch", batch});
    if (exit_code(report) == 3 && report.standard_error.find("without oneDNN") != std::string::npos)
      GTEST_SKIP() << "built without oneDNN";
    ASSERT_EQ(exit_code(report), 0) << report.standard_error;
    EXPECT_THAT(report.standard_output,
                AllOf(HasSubstr(line), HasSubstr("conv1: M=4 C=1 H=86 W=86 K=7"),
                      HasSubstr("Layer Time: "), HasSubstr("Op Time: "),
                      HasSubstr("conv2: convolution"), HasSubstr("MiB peak memory")));
  }
}

TEST(Baseline, BadArgumentsAreNamed) {
  const test::Workplace place;
  const auto many = place.run({"baseline", "--batch", "10001"});
  EXPECT_EQ(exit_code(many), 3);
  EXPECT_THAT(many.standard_error, AllOf(StartsWith("opgrade baseline: "), HasSubstr("->")));
  const auto network = place.run({"baseline", "--network", "none-such"});
  EXPECT_NE(exit_code(network), 0);
  EXPECT_THAT(network.standard_error, HasSubstr("->"));
  EXPECT_EQ(exit_code(place.run({"baseline", "--device", "tpu"})), 2);
}

TEST(Baseline, CudaWithoutADeviceSaysWhatToDo) {
  if (kHaveGpu) GTEST_SKIP() << "there is a GPU";
  const auto report = test::Workplace().run({"baseline", "--device", "cuda"});
  EXPECT_EQ(exit_code(report), 3);
  EXPECT_THAT(report.standard_error, HasSubstr("--device cpu"));
  EXPECT_EQ(report.standard_output, "");
}

TEST(LadderVerb, ListsItsRungsAndPassesArgumentsOn) {
  if (!built("opgrade-ladder")) GTEST_SKIP() << "built without a CUDA toolkit";
  const auto all = test::Workplace().run({"ladder", "--list"});
  EXPECT_EQ(exit_code(all), 0) << all.standard_error;
  EXPECT_THAT(all.standard_output, AllOf(HasSubstr(" 1 naive"), HasSubstr("18 per_layer_half")));
  const auto one = test::Workplace().run({"ladder", "--rungs", "16", "--list"});
  EXPECT_THAT(one.standard_output, StartsWith("16 toeplitz"));
  EXPECT_EQ(std::count(one.standard_output.begin(), one.standard_output.end(), '\n'), 1);
}

TEST(LadderVerb, WithoutADeviceItSaysSo) {
  if (!built("opgrade-ladder")) GTEST_SKIP() << "built without a CUDA toolkit";
  if (kHaveGpu) GTEST_SKIP() << "there is a GPU";
  const auto report = test::Workplace().run({"ladder"});
  EXPECT_EQ(exit_code(report), 3);
  EXPECT_THAT(report.standard_error, AllOf(HasSubstr("no CUDA device"), HasSubstr("--list")));
}

TEST(LadderVerb, WhereItWasNotBuiltTheReasonIsNamed) {
  const test::Workplace place;
  const fs::path alone = place.path() / "bin" / "opgrade";
  fs::create_directory(alone.parent_path());
  fs::copy_file(OPGRADE_BINARY_DIR "/bin/opgrade", alone);
  for (const auto& [verb, program] :
       {std::pair{"ladder", "opgrade-ladder"}, std::pair{"baseline", "opgrade-baseline"},
        std::pair{"submit", "opgrade-course"}}) {
    Command command = place.command({verb});
    command.program = alone;
    const auto report = run_command(command, {.wall = std::chrono::minutes(1)});
    EXPECT_EQ(exit_code(report), 3);
    EXPECT_THAT(report.standard_error,
                AllOf(HasSubstr(program), HasSubstr("->"), HasSubstr("build")));
  }
}

TEST(CourseProgram, IsOneProgramWithOpgrade) {
  const test::Workplace place;
  const auto said = [&](std::vector<std::string> words) {
    const auto report = place.run(std::move(words));
    return testing::PrintToString(
        std::tuple(exit_code(report), report.standard_output, report.standard_error));
  };
  EXPECT_THAT(said({"--help"}), HasSubstr("  submit "));
  // Words that only the other program knows, and words that CLI11 would take away on the way there.
  EXPECT_THAT(said({"course", "init", "--help"}),
              HasSubstr("opgrade course init [OPTIONS] folder"));
  EXPECT_THAT(said({"course", "--", "x"}), HasSubstr("opgrade: "));
  EXPECT_THAT(said({"course", "nothing"}), HasSubstr("opgrade course --help says what they do"));
  EXPECT_THAT(said({"submit"}), AllOf(HasSubstr("(2, "), HasSubstr("folder is required")));
  Command other = place.command({"--version"});
  other.program.replace_filename("opgrade-course");
  const auto version = run_command(other, {.wall = std::chrono::minutes(1)});
  EXPECT_EQ(version.standard_output, place.run({"--version"}).standard_output)
      << "results of either would not be current for the other";
}

TEST(Stopwatch, AddsUpByNameAndPutsTheLongestFirst) {
  Stopwatch stopwatch;
  stopwatch.add("short", 1);
  stopwatch.add("long", 2);
  stopwatch.add("long", 1);
  ASSERT_EQ(stopwatch.steps().size(), 2u);
  EXPECT_EQ(stopwatch.steps()[1].calls, 2);
  EXPECT_DOUBLE_EQ(stopwatch.steps()[1].ms, 3);
  const std::string table = stopwatch.table();
  EXPECT_LT(table.find("long"), table.find("short"));
  EXPECT_THAT(table, AllOf(HasSubstr("75.0%"), HasSubstr("25.0%")));
  EXPECT_EQ(Stopwatch().table().find("nan"), std::string::npos);
}

}  // namespace
}  // namespace opgrade
