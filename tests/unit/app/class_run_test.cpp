#include "grader/app/class_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace opgrade {
namespace {

using testing::ElementsAre;

TEST(ResultNames, TheLastPartOfThePath) {
  EXPECT_THAT(result_names({"/class/ada", "bob/", "./eve/.", "a/../mal"}),
              ElementsAre("ada", "bob", "eve", "mal"));
}

TEST(ResultNames, MadeSafe) {
  EXPECT_THAT(result_names({"/class/Ada L\xc3\xb6velace", "/class/a\nb", "/class/.hidden",
                            "/class/x;rm -rf", "/class/\x1b[31m"}),
              ElementsAre("Ada_L__velace", "a_b", "_.hidden", "x_rm_-rf", "__31m"));
  EXPECT_LE(result_names({"/class/" + std::string(300, 'x')})[0].size(), 100U);
}

TEST(ResultNames, EqualOnesGetNumbers) {
  EXPECT_THAT(result_names({"a/x", "b/x", "c/x"}), ElementsAre("x", "x-2", "x-3"));
}

/// Two submissions in one folder would overwrite each other's result.
TEST(ResultNames, NoTwoAreEver) {
  const std::vector<std::vector<std::filesystem::path>> lists{
      {"a/x", "b/x", "c/x-2"},
      {"c/x-2", "a/x", "b/x"},
      {"c/x-3", "c/x-2", "a/x", "b/x", "d/x", "e/x-2"},
      {"a/x-2", "b/x-2", "c/x", "d/x", "e/x-2-2"},
      {"a/\xc3\xa4", "a/\xc3\xb6", "a/__"},
  };
  for (const auto& list : lists) {
    const auto names = result_names(list);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), list.size())
        << testing::PrintToString(names);
  }
}

TEST(ResultNames, NoneIsAnotherFileOfTheResults) {
  for (const auto& name :
       result_names({"a/grades.csv", "a/x", "a/x.partial", "a/grades.csv.partial"})) {
    EXPECT_NE(name, "grades.csv");
    EXPECT_FALSE(name.ends_with(".partial")) << "taken for a result that is being written";
  }
}

TEST(DefaultJobs, TwoAGpuWithFourCoresEach) {
  EXPECT_EQ(default_jobs(0, 64), 1);
  EXPECT_EQ(default_jobs(1, 16), 2);
  EXPECT_EQ(default_jobs(1, 4), 1);
  EXPECT_EQ(default_jobs(1, 2), 1);
  EXPECT_EQ(default_jobs(8, 128), 16);
  EXPECT_EQ(default_jobs(8, 16), 4);
  EXPECT_EQ(default_jobs(2, 0), 1) << "unknown";
}

}  // namespace
}  // namespace opgrade
