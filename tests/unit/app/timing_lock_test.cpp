#include "grader/app/timing_lock.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "grader/process/interrupt.hpp"

namespace opgrade {
namespace {

TEST(TimingLock, OneHolderAtATime) {
  std::atomic<int> inside{0};
  std::atomic<bool> two{false};
  const auto work = [&] {
    for (int i = 0; i < 20; ++i) {
      const TimingLock lock;
      if (++inside > 1) two = true;
      ::usleep(500);
      --inside;
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  EXPECT_FALSE(two);
}

TEST(TimingLock, DevicesSideBySide) {
  // In one thread: a lock that waited for the other would never come.
  ::alarm(60);
  const TimingLock one("test-one");
  const TimingLock two("test-two");
  ::alarm(0);
}

TEST(TimingLock, OneHolderOfADevice) {
  std::atomic<int> inside{0};
  std::atomic<bool> two{false};
  const auto work = [&] {
    for (int i = 0; i < 20; ++i) {
      const TimingLock lock("test-one");
      if (++inside > 1) two = true;
      ::usleep(500);
      --inside;
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  EXPECT_FALSE(two);
}

[[noreturn]] void interrupted_while_waiting() {
  interrupt::install();
  ::alarm(20);  // instead of hanging
  const TimingLock held;
  std::thread later([] {
    ::usleep(100'000);
    ::kill(::getpid(), SIGINT);
  });
  try {
    const TimingLock second;
  } catch (const interrupt::Interrupted&) {
    ::_exit(0);
  }
  ::_exit(1);
}

/// Ctrl-C must not wait for another grader's run of minutes.
TEST(TimingLockDeathTest, AnInterruptEndsTheWaiting) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(interrupted_while_waiting(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace opgrade
