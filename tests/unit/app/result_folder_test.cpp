#include "grader/results/result_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "grader/core/error.hpp"
#include "grader/core/temp_dir.hpp"
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

TEST(WriteFile, IsTheOldOrTheNewOne) {
  const TempDir folder("opgrade-test-");
  const auto file = folder.path() / "grades.csv";
  write_file(file, "old");
  write_file(file, "new, and longer");
  std::string text;
  std::getline(std::ifstream(file), text);
  EXPECT_EQ(text, "new, and longer");
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("grades.csv"));
}

TEST(WriteFile, NowhereToWriteIsAnErrorThatNamesTheFile) {
  try {
    write_file("/proc/no/such/place.csv", "text");
    FAIL() << "written";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("/proc/no/such/place.csv"));
    EXPECT_FALSE(e.hint.empty());
  }
}

/// As a full disk: the write fails in the middle. The old file must still be whole.
TEST(WriteFile, FullDiskKeepsTheOldFile) {
  const TempDir folder("opgrade-test-");
  const auto file = folder.path() / "grades.csv";
  write_file(file, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_file(file, std::string(100'000, 'x'));
    } catch (const Error&) {
      ::_exit(0);
    }
    ::_exit(1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::string text;
  std::getline(std::ifstream(file), text);
  EXPECT_EQ(text, "old");
}

}  // namespace
}  // namespace opgrade
