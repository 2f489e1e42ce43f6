// Between calls nothing of a submission may run: a counter in shared memory must stand still.
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"
#include "tests/unit/platform/sandbox/sandbox_fixture.hpp"

namespace opgrade {
namespace {

class Freeze : public test::SandboxTest {
 protected:
  void SetUp() override {
    SandboxTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    policy.wall = std::chrono::minutes(10);  // of many rounds on a busy machine
    file_ = Fd(::memfd_create("counter", MFD_CLOEXEC));
    ASSERT_EQ(::ftruncate(file_.get(), 4096), 0);
    page_ = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    ASSERT_NE(page_, MAP_FAILED);
  }
  void TearDown() override {
    if (page_ != nullptr) ::munmap(page_, 4096);
  }

  SandboxedProcess start(std::vector<std::string> act) const {
    return sandbox->start(policy, test::probe(std::move(act)), {{file_.get(), 3}});
  }
  unsigned long value() const { return *static_cast<std::atomic<unsigned long>*>(page_); }
  /// Waits until the counter has moved from `from`.
  bool moves(unsigned long from) const {
    for (int i = 0; i < 20'000 && value() == from; ++i) ::usleep(5000);
    return value() != from;
  }

  /// Freezes again and again; each time the counter must stand and then go on.
  void expect_stops(std::vector<std::string> act, int rounds) const {
    auto process = start(std::move(act));
    ASSERT_TRUE(moves(0));
    for (int round = 0; round < rounds; ++round) {
      ASSERT_TRUE(process.freeze().stopped) << "round " << round;
      const auto frozen = value();
      ::usleep(round < 5 ? 30'000 : 1000);
      ASSERT_EQ(value(), frozen) << "round " << round;
      process.thaw();
      ASSERT_TRUE(moves(frozen)) << "round " << round;
    }
  }

 private:
  Fd file_;
  void* page_ = nullptr;
};
OPGRADE_IN_EVERY_TIER(Freeze);

TEST_P(Freeze, ABusyProcess) { expect_stops({"count", "1", "1"}, 50); }
TEST_P(Freeze, Threads) { expect_stops({"count", "1", "8"}, 50); }
TEST_P(Freeze, SeveralProcesses) { expect_stops({"count", "6", "2"}, 30); }
TEST_P(Freeze, ProcessesThatWakeEachOther) { expect_stops({"count-and-wake"}, 200); }
TEST_P(Freeze, AProcessThatForksAllTheTime) { expect_stops({"count-and-fork"}, 30); }
TEST_P(Freeze, AChildOfVforkWhoseParentCannotBeStopped) { expect_stops({"count-in-vfork"}, 10); }

TEST_P(Freeze, WhatTheKernelWouldWake) { expect_stops({"count-and-be-woken"}, 10); }
TEST_P(Freeze, AProcessWhoseFirstThreadHasEnded) { expect_stops({"count-without-leader"}, 10); }
TEST_P(Freeze, AChildOfALaterThread) { expect_stops({"count-in-a-threads-child"}, 10); }

TEST_P(Freeze, ProcessesWhoseNamesHoldALineBreak) {
  expect_stops({"count-under-odd-names"}, 10);
  auto process = start({"count-under-odd-names"});
  ASSERT_TRUE(moves(value()));
  ::usleep(50'000);  // for the second one to be there
  EXPECT_EQ(process.freeze().processes, 2);
}

TEST_P(Freeze, ManyProcesses) {
  policy.processes = 60;
  auto process = start({"count", "40", "1"});
  ASSERT_TRUE(moves(0));
  StopReport stop = process.freeze();
  for (int i = 0; i < 1000 && stop.processes < 40; ++i) {  // until all are there
    process.thaw();
    ::usleep(5000);
    stop = process.freeze();
  }
  EXPECT_TRUE(stop.stopped);
  EXPECT_EQ(stop.processes, 40);
  EXPECT_GT(stop.ran_on.count(), 0);
  RecordProperty("ran_on_us", static_cast<int>(stop.ran_on.count() / 1000));
  const auto frozen = value();
  ::usleep(30'000);
  EXPECT_EQ(value(), frozen);
}

// Nothing that it does makes this a failure of the grader's.
TEST_P(Freeze, ASystemCallThatNothingInterruptsEndsTheRun) {
  policy.stopping = std::chrono::milliseconds(500);
  auto process = start({"stay-in-a-call"});
  ASSERT_TRUE(moves(0));
  ::usleep(100'000);  // it is in its call
  EXPECT_FALSE(process.freeze().stopped);
  const auto report = process.finish();
  EXPECT_TRUE(std::holds_alternative<Stopped>(report.process.end));
  EXPECT_EQ(report.limit, (Limit{Limit::Kind::stopping_time, 0.5}));
}

// A process stops when it gets a core: outside load makes that later, and is no reason to end it.
TEST_P(Freeze, AProcessThatWaitsForACoreStopsInTheEnd) {
  const test::CrowdedCore crowded(12);
  policy.stopping = std::chrono::milliseconds(20);
  policy.wall = std::chrono::seconds(60);
  auto process = start({"count", "1", "1"});
  ASSERT_TRUE(moves(0));
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(process.freeze().stopped) << "round " << round;
    const auto frozen = value();
    process.thaw();
    ASSERT_TRUE(moves(frozen)) << "round " << round;
  }
}

// Some seconds of a core go by until the kernel has freed such page tables.
TEST_P(Freeze, AKilledProcessThatWaitsForACoreIsNotStuck) {
  const test::CrowdedCore crowded(12);
  policy.dying = std::chrono::milliseconds(500);
  auto process = start({"stay-in-a-call"});
  ASSERT_TRUE(moves(0));
  ::usleep(500'000);  // page tables
  process.stop();
  EXPECT_NO_THROW(process.finish());
}

TEST_P(Freeze, AnAttemptEndsNoRun) {
  auto process = start({"stay-in-a-call"});
  ASSERT_TRUE(moves(0));
  ::usleep(100'000);  // it is in its call
  EXPECT_FALSE(process.try_freeze(std::chrono::milliseconds(50)));
  process.stop();
  EXPECT_FALSE(process.finish().limit) << "it was not for want of a stop";
}

TEST_P(Freeze, AnAttemptThatFailsLetsAllGoOn) {
  auto process = start({"count", "4", "1"});
  ASSERT_TRUE(moves(0));
  EXPECT_FALSE(process.try_freeze(std::chrono::milliseconds(0)));
  EXPECT_TRUE(moves(value()));
  EXPECT_TRUE(process.try_freeze(std::chrono::seconds(10)));
  const auto frozen = value();
  ::usleep(30'000);
  EXPECT_EQ(value(), frozen);
}

TEST_P(Freeze, AStoppedThreadIsSomewhereInAMappedObject) {
  auto process = start({"count", "1", "1"});
  ASSERT_TRUE(moves(0));
  bool seen = false;
  for (int look = 0; look < 1000 && !seen; ++look) {
    process.freeze();
    for (const auto& position : process.code_positions()) {
      EXPECT_TRUE(position.object.is_absolute()) << position.object;
      EXPECT_GT(position.address, 0U);
      seen = true;
    }
    process.thaw();
  }
  EXPECT_TRUE(seen) << "it computes";
}

TEST_P(Freeze, AFrozenRunCanBeEnded) {
  auto process = start({"count", "2", "2"});
  ASSERT_TRUE(moves(0));
  process.freeze();
  process.stop();
  const auto report = process.finish();
  EXPECT_TRUE(std::holds_alternative<Stopped>(report.process.end));
}

TEST_P(Freeze, AfterTheEndThereIsNothingToFreeze) {
  auto process = start({"exit", "0"});
  ::usleep(100'000);
  EXPECT_NO_THROW(process.freeze());
  EXPECT_NO_THROW(process.thaw());
}

}  // namespace
}  // namespace opgrade
