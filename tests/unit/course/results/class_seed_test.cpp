#include "grader/course/results/class_seed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <thread>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/grading/pipeline/submission_path.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

class ClassSeed : public testing::Test {
 protected:
  std::uint64_t seed(ClassSeedOptions options = {},
                     const std::vector<fs::path>& submissions = {"class/ada", "class/bob"}) {
    return class_seed(results, submissions, options);
  }

  void add_result(const char* name, const char* submission) {
    Grade grade;
    grade.submission = name;
    grade.submission_path = owner_of(submission);
    write_result(results / name, grade);
  }

  TempDir folder{"opgrade-test-"};
  fs::path results = folder.path() / "results";
};

TEST_F(ClassSeed, IsKeptForTheNextCall) {
  const auto first = seed();
  EXPECT_EQ(seed(), first);
  EXPECT_EQ(seed({}, {"class/late"}), first) << "another submission of the class";
}

TEST_F(ClassSeed, IsAnotherForAnotherClass) {
  EXPECT_NE(seed(), class_seed(folder.path() / "other", {}, {}));
}

TEST_F(ClassSeed, IsItsOwnersAlone) {
  seed();
  struct stat status {};
  ASSERT_EQ(::stat((results / ".class-seed").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(std::distance(fs::directory_iterator(results), {}), 1) << "nothing else is left";
}

TEST_F(ClassSeed, IsNewForARejudgeOfAll) {
  const auto first = seed();
  add_result("ada", "class/ada");
  const auto second = seed({.again = true});
  EXPECT_NE(second, first);
  EXPECT_EQ(seed(), second) << "a rejudge that was interrupted goes on with its own";
}

TEST_F(ClassSeed, StaysWhereOtherResultsStand) {
  const auto first = seed();
  add_result("eve", "class/eve");
  EXPECT_EQ(seed({.again = true}), first);
}

TEST_F(ClassSeed, ThatIsNamedReplacesIt) {
  seed();
  EXPECT_EQ(seed({.wanted = 42}), 42U);
  EXPECT_EQ(seed(), 42U);
}

TEST_F(ClassSeed, ADamagedFileIsNotTakenForOne) {
  seed();
  std::ofstream(results / ".class-seed") << "12x\n";
  EXPECT_THROW(seed(), Error);
}

TEST_F(ClassSeed, ProcessesThatStartTogetherAgree) {
  constexpr int kThreads = 8;
  std::vector<std::uint64_t> seeds(kThreads);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : seeds) threads.emplace_back([&] { mine = seed(); });
  }
  EXPECT_EQ(std::set(seeds.begin(), seeds.end()).size(), 1U);
}

}  // namespace
}  // namespace opgrade
