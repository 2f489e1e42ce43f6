#include "grader/grading/device/core_lease.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <thread>

#include "grader/base/core/parallel.hpp"
#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

using testing::ElementsAre;

class CoreLeaseTest : public testing::Test {
 protected:
  void SetUp() override { ::alarm(120); }  // instead of waiting for a core for ever
  void TearDown() override { ::alarm(0); }

  CoreLease take(std::size_t count) {
    return CoreLease(count, {0, 1, 2, 3}, LockPatience(), folder_.path());
  }

  TempDir folder_{"opgrade-cores-"};
};

TEST_F(CoreLeaseTest, SiblingsComeAfterAllPhysicalCores) {
  for (const auto& [core, list] : {std::pair(0, "0-1"), {1, "0-1"}, {2, "2-3"}, {3, "2-3"}}) {
    const auto topology = folder_.path() / ("cpu" + std::to_string(core)) / "topology";
    std::filesystem::create_directories(topology);
    std::ofstream(topology / "thread_siblings_list") << list << '\n';
  }
  EXPECT_THAT(spread_out({0, 1, 2, 3}, folder_.path()), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(spread_out({1, 3}, folder_.path()), ElementsAre(1, 3));
  EXPECT_THAT(spread_out({7, 9}, folder_.path()), ElementsAre(7, 9)) << "not described";
}

TEST_F(CoreLeaseTest, ThisProcessHasSomeCores) { EXPECT_FALSE(usable_cores().empty()); }

TEST_F(CoreLeaseTest, NoCoreHasTwoHolders) {
  std::array<std::atomic<int>, 4> users{};
  std::atomic<bool> shared = false;
  parallel_for(80, 8, [&](int i) {
    const CoreLease lease = take(static_cast<std::size_t>(i % 4) + 1);
    EXPECT_EQ(lease.cores().size(), static_cast<std::size_t>(i % 4) + 1);
    for (const int core : lease.cores())
      if (++users.at(static_cast<std::size_t>(core)) > 1) shared = true;
    ::usleep(200);
    for (const int core : lease.cores()) --users.at(static_cast<std::size_t>(core));
  });
  EXPECT_FALSE(shared);
}

// Without an order of those who wait, all four would never be free at once.
TEST_F(CoreLeaseTest, ALeaseOfAllIsNotOvertaken) {
  std::atomic<bool> done = false;
  std::atomic<int> at_work = 0;
  std::vector<std::jthread> others;
  for (int i = 0; i < 6; ++i)
    others.emplace_back([&] {
      while (!done) {
        const CoreLease lease = take(1);
        ++at_work;
        ::usleep(2000);
        --at_work;
      }
    });
  while (at_work == 0) ::usleep(100);
  const CoreLease all = take(4);
  EXPECT_EQ(at_work, 0);
  done = true;
}

TEST_F(CoreLeaseTest, ACoreOfAnotherGraderIsLeftOut) {
  LockFile other(folder_.path() / "opgrade-core-1.lock");
  ASSERT_TRUE(other.try_lock(LOCK_EX));
  EXPECT_THAT(take(3).cores(), ElementsAre(0, 2, 3));
}

TEST_F(CoreLeaseTest, WithoutLockFilesTheReportSaysSo) {
  const CoreLease lease(2, {0, 1}, LockPatience(), "no/folder");
  EXPECT_THAT(lease.cores(), ElementsAre(0, 1));
  EXPECT_THAT(lease.problem(), testing::HasSubstr("may have used the same cores"));
}

}  // namespace
}  // namespace opgrade
