// Sessions that end early: by the submission, at a limit, or by a machine that refuses processes.
#include "grader/grading/run/session_failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "grader/base/core/error.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/config.hpp"
#include "tests/unit/grading/run/acting_session.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using test::Act;
using test::SessionTest;
using testing::HasSubstr;
using namespace std::chrono_literals;

TEST_F(SessionTest, AnEndAfterAPromptReplyIsTheSubmissions) {
  start(Act::exits_in_wait);
  ASSERT_TRUE(session->map(tensors));
  ASSERT_TRUE(session->arm(protocol::Kind::forward, {.prompt = true}));
  EXPECT_FALSE(session->go());
  EXPECT_EQ(failed().outcome, Outcome::exited_early);
}

TEST_F(SessionTest, WhatIsNoReplyInThePageEndsTheRun) {
  start(Act::forges_page);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::exited_early);
  EXPECT_THAT(report::sentence_of(failure.reason),
              HasSubstr("after it wrote into the grader's channel"));
}

TEST_F(SessionTest, WhatIsNoSubmissionDoesNotLoad) {
  std::ofstream(folder.path() / "text.so") << "not a shared object";
  sandbox->hand_over(folder.path());
  start(Act::honest, "text.so");
  EXPECT_FALSE(session->map(tensors));
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::build_failed);
  EXPECT_THAT(report::sentence_of(failure.reason), HasSubstr("does not load"));
}

TEST_F(SessionTest, AnException) {
  start(Act::throws);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  EXPECT_FALSE(session->call()) << "over is over";
  EXPECT_FALSE(session->map(tensors));
  const auto told = session->findings();
  EXPECT_THAT(told.packets, testing::ElementsAre("{\"at\":\"once\"}", "{\"at\":\"end\"}"))
      << "the harness still listens, and they are the reason";
  EXPECT_TRUE(told.complete);
  EXPECT_FALSE(session->call()) << "over it stays";
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::crashed);
  EXPECT_EQ(report::sentence_of(failure.reason),
            "threw an exception in the function call: on purpose");
}

TEST_F(SessionTest, AThreadForEachOfAHundredImages) {
  policy.processes = Config{}.run_limits.processes;
  start(Act::hundred_threads);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_TRUE(session->call());
  EXPECT_TRUE(right());
  const auto failure = session->failure(session->finish());
  EXPECT_FALSE(failure) << report::sentence_of(failure->reason);
}

TEST_F(SessionTest, MoreThreadsThanAllowedAreOverALimit) {
  policy.processes = 32;
  for (const Act act : {Act::endless_threads, Act::aborts_for_want_of_threads}) {
    start(act);
    ASSERT_TRUE(session->map(tensors));
    EXPECT_FALSE(session->call());
    const auto failure = failed();
    EXPECT_EQ(failure.outcome, Outcome::over_limit) << report::sentence_of(failure.reason);
    EXPECT_THAT(report::sentence_of(failure.reason),
                HasSubstr("in the function call at its limit: threads and "));
    EXPECT_THAT(report::hint_of(failure.reason), HasSubstr("threads"));
    session.reset();
    fs::remove(folder.path() / "submission.so");
  }
}

TEST_F(SessionTest, AnExit) {
  start(Act::exits);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  const auto told = session->findings();
  EXPECT_THAT(told.packets, testing::ElementsAre("{\"at\":\"once\"}"));
  EXPECT_FALSE(told.complete);
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::exited_early);
  EXPECT_EQ(report::sentence_of(failure.reason),
            "your code called exit(7) in the function call, after it had printed "
            "\"CUDA error: \\x07 bad launch\"");
  EXPECT_THAT(report::hint_of(failure.reason), HasSubstr("Fix the error that it printed."));
}

TEST_F(SessionTest, FailingAfterTheVerdictIsNoFailure) {
  start(Act::exits);
  ASSERT_TRUE(session->map(tensors));
  session->verdict_is_in();
  EXPECT_FALSE(session->call());
  EXPECT_FALSE(session->failure(session->finish()));
}

TEST_F(SessionTest, AVerdictDoesNotForgiveAnEarlierFailure) {
  start(Act::exits);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  session->verdict_is_in();
  EXPECT_EQ(failed().outcome, Outcome::exited_early);
}

TEST_F(SessionTest, WallTimeInACall) {
  policy.wall = std::chrono::milliseconds(500);
  start(Act::honest);
  ASSERT_TRUE(session->map(tensors));
  while (session->call()) {
  }
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::out_of_time);
  EXPECT_THAT(report::sentence_of(failure.reason), HasSubstr("wall time 0.5 s"));
}

TEST_F(SessionTest, GarbageInTheChannel) {
  start(Act::sends_garbage);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::exited_early);
  EXPECT_THAT(report::sentence_of(failure.reason),
              HasSubstr("after it wrote into the grader's channel"));
}

TEST_F(SessionTest, AClosedChannel) {
  start(Act::hangs_up);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::exited_early);
  EXPECT_THAT(report::sentence_of(failure.reason),
              HasSubstr("closed the grader's channel in the function call"));
}

/// As a process that a limit ends on a busy machine: its channel is closed before it is gone.
TEST_F(SessionTest, AnEndThatTakesItsTimeIsNoClosedChannel) {
  start(Act::ends_slowly);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::crashed);
  EXPECT_THAT(report::sentence_of(failure.reason), HasSubstr("SIGABRT"));
}

/// Requests are answered one by one: nothing may come over the channel during a step.
TEST_F(SessionTest, AForgedReplyEndsTheRun) {
  start(Act::forges_reply);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  EXPECT_THAT(report::sentence_of(failed().reason),
              HasSubstr("after it wrote into the grader's channel"));
}

TEST_F(SessionTest, AChildOfVforkInItsPlaceIsNoFaultOfTheGrader) {
  start(Act::hides_in_vfork);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_NO_THROW(session->call());
  EXPECT_NO_THROW(session->finish());
}

TEST_F(SessionTest, AProcessThatDoesNotStopFailsByItself) {
  policy.stopping = std::chrono::milliseconds(500);
  start(Act::fills_tables);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  EXPECT_TRUE(session->over());
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::over_limit);
  EXPECT_EQ(report::sentence_of(failure.reason),
            "stopped in the function call at its limit: time to stop 0.5 s");
  EXPECT_THAT(report::hint_of(failure.reason), HasSubstr("single system call"));
}

/// Without control groups, where a neighbour of the same user holds all processes.
class RefusedProcesses : public SessionTest {
 protected:
  /// Takes a bubblewrap that is refused a process so many times.
  void SetUp() override {
    SessionTest::SetUp();
    if (IsSkipped()) return;
    auto support = sandbox->support();
    OPGRADE_SKIP_UNLESS("sandbox", support.tier < SandboxTier::no_userns, "no namespaces here");
    const auto stand_in = folder.path() / "bwrap";
    std::ofstream(stand_in) << "#!/bin/sh\nfor n in 1 2 3; do mkdir " << folder.path().string()
                            << "/refused$n 2>/dev/null || continue\n"
                               "echo 'bwrap: Can'\\''t fork for child: "
                               "Resource temporarily unavailable' >&2; exit 1; done\n"
                               "exec "
                            << support.bubblewrap.string() << " \"$@\"\n";
    fs::permissions(stand_in, fs::perms::owner_all);
    support.bubblewrap = stand_in;
    sandbox.emplace(support);
    sandbox->hand_over(folder.path());
  }
};

TEST_F(RefusedProcesses, AreAskedForAgain) {
  start(Act::honest);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_TRUE(session->call());
  EXPECT_FALSE(session->failure(session->finish()));
}

TEST_F(RefusedProcesses, AreAskedForAgainByACompilersRun) {
  policy.mounts.push_back({"/usr", "/usr"});
  const auto report = sandbox->run(policy, {"/usr/bin/true"});
  EXPECT_TRUE(report.started) << report.process.standard_error;
}

TEST_F(RefusedProcesses, AreTheMachinesFaultInTheEnd) {
  policy.starting = std::chrono::milliseconds(0);
  start(Act::honest);
  EXPECT_FALSE(session->map(tensors));
  const auto report = session->finish();
  EXPECT_THROW(session->failure(report), Error);
}

/// A process that was stopped at its wall limit after `elapsed`, with this processor time.
SessionFailure timed_out(std::chrono::seconds computed, std::chrono::seconds elapsed) {
  SandboxReport report;
  report.process.end = Stopped{Stopped::Why::wall_time};
  report.process.elapsed = elapsed;
  report.process.user = computed;
  report.limit = Limit{Limit::Kind::wall_time, 60};
  const std::optional<protocol::Reply> none;
  return failure_of({true, true, none, {}, "x, k or y"}, report).value();
}

TEST(ExitedEarly, ThePrintedErrorIsTheOneToFix) {
  SandboxReport report;
  report.process.end = Exited{1};
  const std::optional<protocol::Reply> none;
  const EndedSession session{true, true, none, {}, "x, k or y"};
  EXPECT_THAT(report::hint_of(failure_of(session, report)->reason),
              testing::Not(HasSubstr("printed")));
  report.process.standard_error = "cudaMalloc y: out of memory";
  EXPECT_THAT(report::hint_of(failure_of(session, report)->reason),
              testing::AllOf(HasSubstr("Fix the error that it printed"), HasSubstr("must return")));
  report.process.end = Exited{0};
  EXPECT_THAT(report::hint_of(failure_of(session, report)->reason),
              testing::Not(HasSubstr("printed")));
}

TEST(TimeOut, OfARunThatWaitsIsNoSlowCode) {
  const SessionFailure waited = timed_out(8s, 60s);
  EXPECT_EQ(waited.outcome, Outcome::out_of_time);
  EXPECT_THAT(report::hint_of(waited.reason), HasSubstr("It computed for 8.0 of these 60.0 s."));
  EXPECT_THAT(report::hint_of(waited.reason), HasSubstr("a lock, a sleep or, on a GPU"));
  EXPECT_THAT(report::hint_of(waited.reason), testing::Not(HasSubstr("too slow")));
  EXPECT_THAT(report::hint_of(timed_out(59s, 60s).reason), HasSubstr("far too slow"));
  EXPECT_THAT(report::hint_of(timed_out(300s, 60s).reason), HasSubstr("far too slow"))
      << "with threads";
}

}  // namespace
}  // namespace opgrade
