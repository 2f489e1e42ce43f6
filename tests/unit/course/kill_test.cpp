// A grading of a course that is killed at random moments loses nothing and grades nothing twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "grader/course/folder/course_folder.hpp"
#include "tests/support/long_tests.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

int wanted_kills() { return opgrade::test::long_tests() ? 200 : 20; }

/// In a process of its own: grades m3, three times each.
[[noreturn]] void grade_and_leave(const fs::path& path) {
  try {
    const CourseFolder folder = open_course_folder(path);
    Store store = Store::open(path);
    LocalExecutor executor(test::grade_by_content, 2);
    grade_assignment(folder, store, *folder.course.find("m3"), test::wanted_grading(), executor);
    ::_exit(0);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    ::_exit(1);
  }
}

TEST(CourseKill, LosesNothingAndGradesNothingTwice) {
  const int kills = wanted_kills();
  const TempDir place("opgrade-test-");
  CourseFolder folder = test::make_course(place.path());
  constexpr int kStudents = 40;
  std::string roster = "id,login,name\n";
  for (int i = 0; i < kStudents; ++i)
    roster += std::to_string(i) + ",s" + std::to_string(i) + ",S\n";
  test::write_text(place.path() / kRosterFile, roster);
  folder = open_course_folder(place.path());
  Store::create(place.path());
  std::set<std::int64_t> last;  // submissions that count
  Moment time = test::utc("2026-10-01T00:00:00Z");
  const auto all_hand_in = [&] {
    Store store = Store::open(place.path());
    time += std::chrono::minutes(1);
    last.clear();
    for (int i = 0; i < kStudents; ++i)
      last.insert(test::hand_in(folder, store, "m3", "s" + std::to_string(i), iso_text(time),
                                std::to_string(i))
                      .id);
  };
  all_hand_in();

  std::map<std::string, ino_t> seen;  // a result that was there once is the same file for ever
  const auto look = [&] {
    std::set<std::string> now;
    for (const auto& file : result_files(place.path())) {
      struct stat info {};
      ASSERT_EQ(::stat((place.path() / file).c_str(), &info), 0);
      const auto [known, is_new] = seen.emplace(file, info.st_ino);
      EXPECT_EQ(known->second, info.st_ino) << file << " was replaced";
      now.insert(file);
    }
    for (const auto& [file, inode] : seen) EXPECT_TRUE(now.contains(file)) << file << " is lost";
  };

  std::mt19937 random(std::random_device{}());
  std::uniform_int_distribution<useconds_t> moment(1'000, 120'000);
  int killed = 0;
  for (bool done = false; !done;) {
    const pid_t child = ::fork();
    if (child == 0) grade_and_leave(place.path());
    ASSERT_GT(child, 0);
    if (killed < kills) {
      ::usleep(moment(random));
      ::kill(child, SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    look();
    if (WIFSIGNALED(status)) {
      ASSERT_EQ(WTERMSIG(status), SIGKILL) << "the grading died of itself";
      ASSERT_LT(killed++, kills);
      continue;
    }
    ASSERT_EQ(WEXITSTATUS(status), 0);
    done = killed == kills;
    if (!done) all_hand_in();
  }
  RecordProperty("kills", killed);

  const Store store = Store::open(place.path());
  EXPECT_THAT(verify(folder, store), IsEmpty());
  std::map<std::int64_t, std::set<int>> numbers;
  for (const auto& a : store.attempts())
    EXPECT_TRUE(numbers[a.submission].insert(a.number).second) << "twice the same key";
  for (const auto submission : last) EXPECT_EQ(numbers[submission], (std::set{1, 2, 3}));
  for (const auto& [submission, of_it] : numbers) EXPECT_LE(*of_it.rbegin(), 3) << submission;
}

}  // namespace
}  // namespace opgrade::course
