#include "grader/course/results/result_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "grader/base/core/temp_dir.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

TEST(ResultFolder, HasEveryReportAndReadsBack) {
  const TempDir results("opgrade-test-");
  const Grade grade = test::passed_grade();
  write_result(results.path() / "ada", grade);
  EXPECT_THAT(names_in(results.path() / "ada"),
              testing::IsSupersetOf({"report.json", "report.txt", "report.html", "junit.xml"}));
  EXPECT_THAT(names_in(results.path()), testing::ElementsAre("ada")) << "nothing partial is left";
  const auto back = read_result(results.path() / "ada");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->points, grade.points);
  EXPECT_EQ(back->outcome, grade.outcome);
  EXPECT_EQ(back->submission, grade.submission);
}

TEST(ResultFolder, ReplacesAnOlderResultWhole) {
  const TempDir results("opgrade-test-");
  write_result(results.path() / "ada", test::grade_with(Outcome::crashed));
  std::ofstream(results.path() / "ada/left-over") << "x";
  write_result(results.path() / "ada", test::passed_grade());
  EXPECT_EQ(read_result(results.path() / "ada")->outcome, Outcome::passed);
  EXPECT_FALSE(fs::exists(results.path() / "ada/left-over"));
}

TEST(ResultFolder, WhatAKillLeftIsNoResultAndInNobodysWay) {
  const TempDir results("opgrade-test-");
  // Whatever name the unfinished folder has, grading again must work and clean up.
  write_result(results.path() / "ada", test::passed_grade());
  const auto before = names_in(results.path());
  fs::create_directories(results.path() / "ada.partial");
  std::ofstream(results.path() / "ada.partial/report.json") << "{\"half";
  write_result(results.path() / "ada", test::passed_grade());
  EXPECT_TRUE(read_result(results.path() / "ada"));
}

TEST(ResultFolder, DamagedOrMissingIsNothing) {
  const TempDir results("opgrade-test-");
  EXPECT_FALSE(read_result(results.path() / "ada"));
  for (const char* text :
       {"", "{", "[]", "null", "{\"outcome\": 3}", "\xff\xfe", "{\"stages\": [1]}"}) {
    fs::create_directories(results.path() / "ada");
    std::ofstream(results.path() / "ada/report.json") << text;
    EXPECT_FALSE(read_result(results.path() / "ada")) << text;
  }
}

TEST(ResultFolder, CutShortAnywhereIsNothing) {
  const TempDir results("opgrade-test-");
  write_result(results.path() / "ada", test::passed_grade());
  const auto file = results.path() / "ada/report.json";
  const auto size = fs::file_size(file);
  for (auto cut = size - 3; cut > size / 17; cut -= size / 17) {
    fs::resize_file(file, cut);
    EXPECT_FALSE(read_result(results.path() / "ada")) << cut;
  }
}

}  // namespace
}  // namespace opgrade
