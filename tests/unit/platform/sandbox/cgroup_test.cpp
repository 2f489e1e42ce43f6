#include "grader/platform/sandbox/cgroup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

class CgroupTest : public testing::Test {
 protected:
  void SetUp() override {
    support_ = CgroupSupport::detect();
    OPGRADE_SKIP_UNLESS("cgroup", support_.kind != CgroupSupport::Kind::none, support_.why_not);
  }

  /// A child that joined the group and sleeps.
  pid_t joined(const Cgroup& group) const {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      for (const auto& file : group.join_files()) {
        std::ofstream out(file);
        out << "0" << std::flush;
        if (!out) ::_exit(1);
      }
      ::close(ready[0]);
      ::close(ready[1]);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    char end;
    EXPECT_EQ(::read(ready[0], &end, 1), 0);  // closed once the child has joined
    ::close(ready[0]);
    return child;
  }

  CgroupSupport support_;
};

TEST_F(CgroupTest, MembersAreListedAndKilled) {
  const Cgroup group(support_, 64 << 20, 8);
  EXPECT_TRUE(group.processes().empty());
  const pid_t child = joined(group);
  EXPECT_EQ(group.processes(), std::vector<int>{child});
  group.kill();
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST_F(CgroupTest, HoldsItsMembersUntilTheyAreReleased) {
  const Cgroup group(support_, 64 << 20, 8);
  OPGRADE_SKIP_UNLESS("freezer", group.freeze(), "these control groups have no freezer");
  group.thaw();
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    for (const auto& file : group.join_files()) std::ofstream(file) << "0";
    for (;;) {
      ::usleep(100);
      [[maybe_unused]] const auto written = ::write(ends[1], "x", 1);
    }
  }
  char bytes[4096];
  const auto empty = [&] {
    while (::read(ends[0], bytes, sizeof bytes) > 0) {
    }
  };
  const auto writes = [&](int tries) {
    for (; tries > 0; --tries, ::usleep(1000)) {
      if (::read(ends[0], bytes, sizeof bytes) > 0) return true;
    }
    return false;
  };
  ASSERT_TRUE(writes(10'000));
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(group.freeze());
    while (!group.is_frozen()) {  // on a busy machine this takes longer than one look lasts
    }
    empty();
    EXPECT_FALSE(writes(3)) << "round " << round;
    group.thaw();
    ASSERT_TRUE(writes(10'000)) << "round " << round;
  }
  EXPECT_TRUE(group.freeze());
  group.kill();  // what is held dies as well
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(CgroupTest, DisappearsWithItsOwnerAndItsMembers) {
  std::vector<std::filesystem::path> files;
  pid_t child = -1;
  {
    const Cgroup group(support_, 64 << 20, 8);
    files = group.join_files();
    child = joined(group);
    for (const auto& file : files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  }
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  for (const auto& file : files) EXPECT_FALSE(std::filesystem::exists(file)) << file;
}

/// Groups of a grader that is killed, in this process's namespace and in another's. Until then
/// every program that looks for such groups leaves them alone.
class Orphaned : public CgroupTest {
 protected:
  void SetUp() override {
    CgroupTest::SetUp();
    if (IsSkipped()) return;
    grader_ = ::fork();
    if (grader_ == 0)
      for (;;) ::pause();
    const Cgroup usual(support_, 64 << 20, 8);
    const auto folder = usual.join_files().front().parent_path();
    const std::string name = folder.filename();
    const std::string space = name.substr(name.rfind('-') + 1);
    own_ = folder.parent_path() / fmt::format("opgrade-{}-1-{}", grader_, space);
    other_ = folder.parent_path() / fmt::format("opgrade-{}-1-{}1", grader_, space);
    for (const auto& group : {own_, other_}) ASSERT_EQ(::mkdir(group.c_str(), 0755), 0) << group;
  }
  void TearDown() override {
    if (grader_ > 0) end_grader();
    for (const auto& group : {own_, other_}) ::rmdir(group.c_str());
  }
  void end_grader() {
    ::kill(grader_, SIGKILL);
    EXPECT_GT(::waitpid(std::exchange(grader_, -1), nullptr, 0), 0);
  }

  pid_t grader_ = -1;
  std::filesystem::path own_, other_;
};

TEST_F(Orphaned, GroupsAreRemovedWithTheirMembersWhereTheGraderIsKnown) {
  const pid_t member = ::fork();
  if (member == 0) {
    std::ofstream(own_ / "cgroup.procs") << "0" << std::flush;
    for (;;) ::pause();
  }
  const auto has_joined = [&] {
    int joined = 0;
    std::ifstream(own_ / "cgroup.procs") >> joined;
    return joined == member;
  };
  while (!has_joined()) ::usleep(1000);
  end_grader();
  CgroupSupport::detect();
  int status = 0;
  EXPECT_EQ(::waitpid(member, &status, 0), member);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  CgroupSupport::detect();
  EXPECT_FALSE(std::filesystem::exists(own_));
  EXPECT_TRUE(std::filesystem::exists(other_)) << "its grader may be alive";
}

TEST_F(CgroupTest, TwoAtOnceDoNotShareAFolder) {
  const Cgroup first(support_, 64 << 20, 8);
  const Cgroup second(support_, 64 << 20, 8);
  EXPECT_NE(first.join_files(), second.join_files());
}

TEST_F(CgroupTest, FreshGroupHitNoLimit) {
  const Cgroup group(support_, 64 << 20, 8);
  const CgroupUse use = group.use();
  EXPECT_FALSE(use.memory_limit_hit);
  EXPECT_FALSE(use.process_limit_hit);
}

}  // namespace
}  // namespace opgrade
