#include "grader/platform/process/interrupt.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "grader/platform/process/process.hpp"

namespace opgrade {
namespace {

// install() changes the whole process, so each test runs in one of its own.
class InterruptTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

using InterruptDeathTest = InterruptTest;

[[noreturn]] void nothing_came() {
  interrupt::install();
  interrupt::check();
  ::_exit(interrupt::requested() ? 1 : 0);
}

TEST_F(InterruptDeathTest, NothingIsRequestedAtFirst) {
  EXPECT_EXIT(nothing_came(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void one_signal(int number) {
  interrupt::install();
  ::raise(number);
  pollfd event{interrupt::descriptor(), POLLIN, 0};
  const bool readable = ::poll(&event, 1, 0) == 1;
  bool thrown = false;
  try {
    interrupt::check();
  } catch (const interrupt::Interrupted&) {
    thrown = true;
  }
  ::_exit(readable && interrupt::requested() && thrown ? 0 : 1);
}

TEST_F(InterruptDeathTest, TheFirstSignalIsRemembered) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(one_signal(number), testing::ExitedWithCode(0), "") << number;
  }
}

[[noreturn]] void two_signals() {
  interrupt::install();
  ::raise(SIGINT);
  ::raise(SIGINT);
  ::_exit(0);
}

TEST_F(InterruptDeathTest, TheSecondSignalEndsTheProcess) {
  EXPECT_EXIT(two_signals(), testing::KilledBySignal(SIGINT), "");
}

[[noreturn]] void two_hangups() {
  interrupt::install();
  ::raise(SIGHUP);
  ::raise(SIGHUP);
  ::_exit(interrupt::requested() ? 0 : 1);
}

/// A terminal that hangs up sends SIGHUP by the kernel and by the shell.
TEST_F(InterruptDeathTest, ASecondHangupLeavesTimeToEnd) {
  EXPECT_EXIT(two_hangups(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void ignored_signal() {
  ::signal(SIGHUP, SIG_IGN);
  interrupt::install();
  ::raise(SIGHUP);
  ::_exit(interrupt::requested() ? 1 : 0);
}

TEST_F(InterruptDeathTest, NohupStaysInForce) {
  EXPECT_EXIT(ignored_signal(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void signal_with_children() {
  interrupt::install();
  const Command command{.program = OPGRADE_PROBE, .arguments = {"wait"}};
  ChildProcess child = ChildProcess::start(command, {});
  ::raise(SIGINT);
  const ProcessReport running = child.finish();
  const ProcessReport later = run_command(command, {});
  const auto by_request = [](const ProcessReport& report) {
    const auto* const stopped = std::get_if<Stopped>(&report.end);
    return stopped != nullptr && stopped->why == Stopped::Why::request;
  };
  ::_exit(by_request(running) && by_request(later) ? 0 : 1);
}

TEST_F(InterruptDeathTest, StopsTheChildrenThatRunAndThoseThatStartLater) {
  EXPECT_EXIT(signal_with_children(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace opgrade
