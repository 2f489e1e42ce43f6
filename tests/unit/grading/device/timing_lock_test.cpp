#include "grader/grading/device/timing_lock.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
namespace {

/// Other processes may run these tests at the same time.
DeviceLock take(const std::string& device) {
  for (;;) {
    if (auto lock = DeviceLock::try_take(device)) return *std::move(lock);
    ::usleep(1000);
  }
}

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
  const auto one = take("test-one");
  const auto two = take("test-two");
  const TimingLock first(one);
  const TimingLock second(two);
  ::alarm(0);
}

TEST(TimingLock, OneHolderOfADevice) {
  const auto held = take("test-one");
  EXPECT_FALSE(DeviceLock::try_take("test-one"));
  std::thread([] { EXPECT_FALSE(DeviceLock::try_take("test-one")); }).join();
}

TEST(TimingLock, NoDeviceBesideTheWholeMachine) {
  std::atomic<bool> machine = true;
  std::thread device;
  {
    const TimingLock lock;
    device = std::thread([&] {
      const auto mine = take("test-one");
      const TimingLock waits(mine);
      EXPECT_FALSE(machine);
    });
    ::usleep(50'000);  // for a lock that does not wait to be seen; one that does is never hurt
    machine = false;
  }
  device.join();
}

[[noreturn]] void interrupted_while_waiting() {
  interrupt::install();
  const TimingLock held;  // other tests may have it for a while
  ::alarm(20);            // instead of hanging
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
