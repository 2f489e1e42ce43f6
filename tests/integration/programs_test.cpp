// The verbs that are programs of their own: `opgrade ladder` and those of the class.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>

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
       {std::pair{"ladder", "opgrade-ladder"}, std::pair{"submit", "opgrade-course"}}) {
    Command command = place.command({verb});
    command.program = alone;
    const auto report = run_command(command, test::kPatience);
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
  EXPECT_THAT(said({"submit"}), AllOf(HasSubstr("(2, "), HasSubstr("takes a folder")));
  Command other = place.command({"--version"});
  other.program.replace_filename("opgrade-course");
  const auto version = run_command(other, test::kPatience);
  EXPECT_EQ(version.standard_output, place.run({"--version"}).standard_output)
      << "results of either would not be current for the other";
}

}  // namespace
}  // namespace opgrade
