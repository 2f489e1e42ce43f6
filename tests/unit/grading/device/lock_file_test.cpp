#include "grader/grading/device/lock_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/device/timing_lock.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class LockFileTest : public testing::Test {
 protected:
  LockFileTest() { ::chmod(folder.path().c_str(), 01777); }
  fs::path path() const { return folder.path() / "opgrade-timing.lock"; }

  static mode_t mode_of(const fs::path& file) {
    struct stat status {};
    EXPECT_EQ(::lstat(file.c_str(), &status), 0);
    return status.st_mode & 07777;
  }

  TempDir folder{"opgrade-test-"};
};

TEST_F(LockFileTest, ExcludesOthersForAsLongAsItLives) {
  LockFile second(path());
  {
    LockFile first(path());
    EXPECT_TRUE(first.try_lock(LOCK_EX));
    EXPECT_FALSE(second.try_lock(LOCK_EX));
    EXPECT_FALSE(second.try_lock(LOCK_SH));
    EXPECT_THAT(second.problem(), IsEmpty());
    EXPECT_EQ(second.holders(), std::vector<pid_t>{::getpid()});
  }
  EXPECT_TRUE(second.try_lock(LOCK_SH));
  EXPECT_EQ(mode_of(path()), 0666U) << "every user's grader must be able to open it";
}

TEST_F(LockFileTest, AFileThatWasRemovedExcludesNobody) {
  LockFile first(path());
  fs::remove(path());
  EXPECT_FALSE(first.try_lock(LOCK_EX)) << "asked once more it takes the new one";
  EXPECT_TRUE(first.try_lock(LOCK_EX));
  EXPECT_FALSE(LockFile(path()).try_lock(LOCK_EX));
}

// What another user may have put there.
TEST_F(LockFileTest, WhatIsNoFileOfItsOwnIsNotUsedNorChanged) {
  const fs::path foreign = folder.path() / "foreign";
  std::ofstream(foreign) << "secret";
  ::chmod(foreign.c_str(), 0600);
  const auto expect_refused = [&](const std::string& why) {
    LockFile file(path());
    EXPECT_FALSE(file.try_lock(LOCK_EX));
    EXPECT_THAT(file.problem(),
                AllOf(HasSubstr(path().string()), HasSubstr(why), HasSubstr("belongs to user ")));
    fs::remove(path());
  };
  fs::create_hard_link(foreign, path());
  expect_refused("a second name of a file");
  fs::create_symlink(foreign, path());
  expect_refused("cannot be opened");
  ASSERT_EQ(::mkfifo(path().c_str(), 0666), 0);
  expect_refused("not a regular file");
  fs::create_directory(path());
  expect_refused("not a regular file");
  EXPECT_EQ(mode_of(foreign), 0600U);
}

TEST_F(LockFileTest, AFileThatMayNotBeOpenedIsAProblemAndNoFailure) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root, to be another user";
  std::ofstream(path()) << "";
  ::chmod(path().c_str(), 0600);
  ASSERT_EQ(::seteuid(65534), 0);
  const TimingLock lock(LockPatience(), folder.path());
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_THAT(lock.problem(),
              AllOf(HasSubstr("Permission denied"), HasSubstr("belongs to user root")));
}

TEST_F(LockFileTest, WhoHasItTooLongIsNamedAndWaitedForNoMore) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    LockFile file(path());
    const bool locked = file.try_lock(LOCK_EX);
    [[maybe_unused]] const auto written = ::write(ready[1], locked ? "y" : "n", 1);
    for (;;) ::pause();
  }
  char locked = 0;
  ASSERT_EQ(::read(ready[0], &locked, 1), 1);
  ASSERT_EQ(locked, 'y');
  std::vector<events::LockAwaited> said;
  const LockPatience patience(
      [&](const Event& event) { said.push_back(std::get<events::LockAwaited>(event)); },
      std::chrono::milliseconds(400));
  ::alarm(60);  // instead of waiting for ever
  const TimingLock lock(patience, folder.path());
  ::alarm(0);
  const std::string who = "process " + std::to_string(other) + " (";
  EXPECT_THAT(lock.problem(), AllOf(HasSubstr(who), HasSubstr("of user "),
                                    HasSubstr(path().string()), HasSubstr("for 0.4 s")));
  ASSERT_EQ(said.size(), 1U) << "once, not at every look";
  EXPECT_THAT(said[0].holder, HasSubstr(who));
  EXPECT_EQ(said[0].file, path().string());
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

// A class of its own, with many submissions in work, waits for as long as it takes.
TEST_F(LockFileTest, ThreadsOfThisProcessAreWaitedForWithPatience) {
  LockFile mine(path());
  ASSERT_TRUE(mine.try_lock(LOCK_EX));
  LockPatience patience({}, std::chrono::milliseconds(4));
  LockFile other(path());
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(patience.is_over(other));
    ::usleep(1000);
  }
}

TEST_F(LockFileTest, TheFolderIsOneThatEveryUserComesTo) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root, to make folders of root's";
  const fs::path narrow = folder.path() / "narrow", wide = folder.path() / "wide";
  fs::create_directory(narrow);
  fs::create_directory(wide);
  ::chmod(narrow.c_str(), 0755);
  ::chmod(wide.c_str(), 01777);
  EXPECT_EQ(shared_lock_folder({folder.path() / "none", narrow, wide, "/tmp"}), wide);
  EXPECT_EQ(shared_lock_folder({narrow, "/tmp"}), "/tmp") << "root could use it, others could not";
  ::chmod(wide.c_str(), 0777);
  EXPECT_EQ(shared_lock_folder({wide, "/tmp"}), "/tmp") << "anybody could remove it";
}

}  // namespace
}  // namespace opgrade
