#include "grader/course/results/results_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(ResultsLock, TheSecondOneIsToldOfTheFirst) {
  const TempDir place("opgrade-test-");
  const fs::path results = place.path() / "results";
  {
    const ResultsLock first(results);
    try {
      const ResultsLock second(results);
      FAIL() << "two at once";
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr("process " + std::to_string(::getpid()) + " on "));
      EXPECT_THAT(e.what(), HasSubstr(results.string()));
      EXPECT_THAT(e.hint, HasSubstr("--out"));
    }
  }
  const ResultsLock again(results);
}

TEST(ResultsLock, EndsWithItsProcessHoweverThatEnds) {
  const TempDir place("opgrade-test-");
  const pid_t child = ::fork();
  if (child == 0) {
    const ResultsLock lock(place.path());
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  const ResultsLock lock(place.path());
}

TEST(ResultsLock, RemovesWhatAKillLeftAndNothingElse) {
  const TempDir place("opgrade-test-");
  fs::create_directory(place.path() / "ada");
  fs::create_directory(place.path() / "bob.0123456789abcdef.partial");
  std::ofstream(place.path() / "bob.0123456789abcdef.partial/report.json") << "{\"half";
  std::ofstream(place.path() / "grades.csv.0123456789abcdef.partial") << "half";
  const ResultsLock lock(place.path());
  EXPECT_TRUE(fs::exists(place.path() / "ada"));
  for (const auto& entry : fs::directory_iterator(place.path()))
    EXPECT_NE(entry.path().extension(), ".partial") << entry.path();
}

TEST(ResultsLock, AFolderThatCannotBeMadeIsAnErrorThatNamesIt) {
  try {
    const ResultsLock lock("/proc/no/such/place");
    FAIL() << "made";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("/proc/no/such/place"));
    EXPECT_FALSE(e.hint.empty());
  }
}

}  // namespace
}  // namespace opgrade
