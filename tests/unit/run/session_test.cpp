// The session between grader and harness, with honest and with hostile submissions.
#include "grader/run/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "grader/config/config.hpp"
#include "grader/core/error.hpp"
#include "grader/run/call_cost.hpp"
#include "grader/run/output_witness.hpp"
#include "grader/run/session_failure.hpp"
#include "tests/support/session_fixture.hpp"
#include "tests/unit/run/acts.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using test::Act;
using testing::HasSubstr;
using namespace std::chrono_literals;

class SessionTest : public test::SessionFixture {
 protected:
  void start(Act act, const char* submission = "submission.so",
             InterfaceSteps steps = {false, false}) {
    take(OPGRADE_SUBMISSION);
    launch(submission, steps);
    tensors.input(1).values()[0] = static_cast<float>(act);
    fill(1);
  }
  void fill(float first) {
    float value = first;
    for (float& v : tensors.input(0).values()) v = value++;
    tensors.output().poison(1);
  }
  /// Whether y is what `work` in submission.cpp makes of x.
  bool right() const {
    for (std::size_t i = 0; i < tensors.output().values().size(); ++i) {
      if (tensors.output().values()[i] != 2 * tensors.input(0).values()[i]) return false;
    }
    return true;
  }
  SessionFailure failed() {
    const auto report = session->finish();
    const auto failure = session->failure(report);
    EXPECT_TRUE(failure);
    return failure.value_or(SessionFailure{Outcome::passed, "", ""});
  }

  CallTensors tensors{{2, 1, 1, 5, 7, 1, 1}, {70, 70, 1}};  // B M C H W K S; y x k
};

TEST_F(SessionTest, AnHonestSubmission) {
  start(Act::honest);
  ASSERT_TRUE(session->map(tensors));
  for (float first = 1; first < 4; ++first) {
    fill(first);
    const auto times = session->call();
    ASSERT_TRUE(times);
    EXPECT_TRUE(right());
    EXPECT_GE(times->op.until_done, std::chrono::milliseconds(20));
    EXPECT_GE(times->layer.until_done, times->op.until_done);
    EXPECT_GE(times->op.until_stopped, times->op.until_done);
  }
  EXPECT_THAT(session->findings().packets, testing::IsEmpty());
  EXPECT_FALSE(session->failure(session->finish()));
}

// Processes of later cases stand ready while other submissions' times count.
TEST_F(SessionTest, ASubmissionIsLoadedWhenItsTurnComes) {
  take(OPGRADE_SUBMISSION);
  policy.environment.emplace_back("SAY_LOADED=1");
  for (const bool has_turn : {false, true}) {
    session.emplace(*sandbox, policy, InterfaceSteps{false, false}, folder.path() / "harness",
                    folder.path() / "submission.so", Session::Load::later);
    ASSERT_TRUE(session->await_harness());
    if (has_turn) {
      session->load();
      tensors.input(1).values()[0] = static_cast<float>(Act::honest);
      fill(1);
      ASSERT_TRUE(session->map(tensors));
      ASSERT_TRUE(session->call());
      EXPECT_TRUE(right());
    }
    const auto report = session->finish();
    EXPECT_FALSE(session->failure(report));
    EXPECT_EQ(report.process.standard_output, has_turn ? "loaded\n" : "");
  }
}

// Where a prolog does the work, all steps are what is scored.
TEST_F(SessionTest, AStepIsTimedByTheGraderWhateverItsProcessSays) {
  start(Act::shortens_prolog, "submission.so", {true, false});
  ASSERT_TRUE(session->map(tensors));
  const auto time = session->step(protocol::Kind::prolog);
  ASSERT_TRUE(time);
  EXPECT_TRUE(right());
  EXPECT_EQ(time->harness, std::chrono::microseconds(1)) << "what it claims";
  EXPECT_GE(time->until_done, std::chrono::milliseconds(20));
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

/// The process waits for its start, stopped, while the input is written.
TEST_F(SessionTest, TheInputComesWhenEverythingIsStopped) {
  start(Act::honest);
  ASSERT_TRUE(session->map(tensors));
  for (float first = 10; first < 13; ++first) {
    ASSERT_TRUE(session->call([&] { fill(first); }));
    EXPECT_TRUE(right());
  }
}

/// Records what a session does with it.
class Recorder final : public CallGate {
 public:
  explicit Recorder(bool holds) : holds_(holds) {}
  bool holds() const override { return holds_; }
  void open() override { done += "open "; }
  void look() override { done += "look "; }
  std::string done;

 private:
  bool holds_;
};

TEST_F(SessionTest, AGateOpensBeforeACallAndLooksAfterIt) {
  start(Act::honest);
  ASSERT_TRUE(session->map(tensors));
  Recorder holding(true), other(false);
  const auto times = session->call({}, &holding);
  ASSERT_TRUE(times);
  EXPECT_EQ(holding.done, "open look ");
  EXPECT_GE(times->op.until_proven, times->op.until_done);
  ASSERT_TRUE(session->call({}, &other));
  EXPECT_EQ(other.done, "look ");
}

/// "Done" too early is found by an output that changes after it.
TEST_F(SessionTest, AnOutputThatComesAfterDoneIsSeen) {
  start(Act::done_early);
  ASSERT_TRUE(session->map(tensors));
  OutputWitness witness(tensors.output().values(), 1);
  const auto times = session->call([&] { fill(1); }, &witness);
  ASSERT_TRUE(times);
  EXPECT_LT(times->op.until_done, std::chrono::milliseconds(20)) << "the lie itself";
  EXPECT_FALSE(right() && !witness.changed()) << "nothing of what came later is overlooked";
}

/// The device's end is for the gate to prove.
TEST_F(SessionTest, APromptStepIsDoneBeforeTheWaitForItsDevice) {
  start(Act::works_in_wait);
  ASSERT_TRUE(session->map(tensors));
  Recorder gate(false);
  ASSERT_TRUE(session->arm(protocol::Kind::forward, {.prompt = true}));
  ASSERT_TRUE(session->go(&gate));
  EXPECT_EQ(gate.done, "look ");
  EXPECT_TRUE(right()) << "what the wait brings is there";
  fill(2);
  ASSERT_TRUE(session->arm(protocol::Kind::forward));
  ASSERT_TRUE(session->go(&gate));
  EXPECT_FALSE(right()) << "any other step waits first";
}

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
  EXPECT_THAT(failure.reason, HasSubstr("after it wrote into the grader's channel"));
}

TEST_F(SessionTest, AnArmedProcessCanBeEnded) {
  start(Act::honest);
  ASSERT_TRUE(session->map(tensors));
  ASSERT_TRUE(session->arm(protocol::Kind::forward));
  EXPECT_FALSE(session->failure(session->finish())) << "as one that waits for a request";
}

TEST_F(SessionTest, MapsAgainAndAgain) {
  start(Act::honest);
  for (const int H : {5, 6, 100}) {
    CallTensors other({1, 1, 1, H, 7, 1, 1}, {7 * H, 7 * H, 1});
    for (float& v : other.input(0).values()) v = static_cast<float>(H);
    ASSERT_TRUE(session->map(other));
    ASSERT_TRUE(session->call());
    EXPECT_EQ(other.output().values().back(), static_cast<float>(2 * H));
  }
}

// Where there is a device x may be written to, because drivers register no other memory.
TEST_F(SessionTest, WhatIsWrittenToTheInputStaysInItsProcess) {
  start(Act::writes_input);
  ASSERT_TRUE(session->map(tensors));
  fill(1);
  ASSERT_TRUE(session->call());
  EXPECT_EQ(tensors.output().values()[0], 10) << "it has seen its own 5";
  EXPECT_NE(tensors.input(0).values()[0], 5);
  tensors.input(1).values()[0] = static_cast<float>(Act::honest);
  fill(2);
  ASSERT_TRUE(session->call());
  EXPECT_FALSE(right()) << "its page is its own";
  fill(2);
  ASSERT_TRUE(session->map(tensors));
  ASSERT_TRUE(session->call());
  EXPECT_TRUE(right()) << "mapped anew, it sees the grader's values";
}

TEST_F(SessionTest, WhatIsNoSubmissionDoesNotLoad) {
  std::ofstream(folder.path() / "text.so") << "not a shared object";
  sandbox->hand_over(folder.path());
  start(Act::honest, "text.so");
  EXPECT_FALSE(session->map(tensors));
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::build_failed);
  EXPECT_THAT(failure.reason, HasSubstr("does not load"));
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
  EXPECT_EQ(failure.reason, "threw an exception in the convolution call: on purpose");
}

TEST_F(SessionTest, AThreadForEachOfAHundredImages) {
  policy.processes = Config{}.run_limits.processes;
  start(Act::hundred_threads);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_TRUE(session->call());
  EXPECT_TRUE(right());
  const auto failure = session->failure(session->finish());
  EXPECT_FALSE(failure) << failure->reason;
}

TEST_F(SessionTest, MoreThreadsThanAllowedAreOverALimit) {
  policy.processes = 32;
  for (const Act act : {Act::endless_threads, Act::aborts_for_want_of_threads}) {
    start(act);
    ASSERT_TRUE(session->map(tensors));
    EXPECT_FALSE(session->call());
    const auto failure = failed();
    EXPECT_EQ(failure.outcome, Outcome::over_limit) << failure.reason;
    EXPECT_THAT(failure.reason, HasSubstr("in the convolution call at its limit: threads and "));
    EXPECT_THAT(failure.hint, HasSubstr("threads"));
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
  EXPECT_EQ(failure.reason, "left the process in the convolution call (exit code 7)");
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
  EXPECT_THAT(failure.reason, HasSubstr("wall time 0.5 s"));
}

TEST_F(SessionTest, GarbageInTheChannel) {
  start(Act::sends_garbage);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::exited_early);
  EXPECT_THAT(failure.reason, HasSubstr("after it wrote into the grader's channel"));
}

TEST_F(SessionTest, AClosedChannel) {
  start(Act::hangs_up);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::exited_early);
  EXPECT_THAT(failure.reason, HasSubstr("closed the grader's channel in the convolution call"));
}

/// After its reply nothing of the submission runs, so that what it did not do by then is missing.
TEST_F(SessionTest, WorkAfterTheReplyDoesNotCount) {
  start(Act::works_later);
  ASSERT_TRUE(session->map(tensors));
  ASSERT_TRUE(session->call());
  EXPECT_FALSE(right());
  ::usleep(300'000);
  EXPECT_FALSE(right()) << "it went on while it should have been stopped";
}

/// Requests are answered one by one: nothing may come over the channel during a step.
TEST_F(SessionTest, AForgedReplyEndsTheRun) {
  start(Act::forges_reply);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  EXPECT_THAT(failed().reason, HasSubstr("after it wrote into the grader's channel"));
}

TEST_F(SessionTest, AChildOfVforkInItsPlaceIsNoFaultOfTheGrader) {
  start(Act::hides_in_vfork);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_NO_THROW(session->call());
  EXPECT_NO_THROW(session->finish());
}

/// It runs on until it is stopped, in nobody's time.
TEST_F(SessionTest, WhatAnotherProcessCouldRunOnIsCharged) {
  start(Act::leaves_worker);
  ASSERT_TRUE(session->map(tensors));
  const auto times = session->call();
  ASSERT_TRUE(times);
  EXPECT_EQ(session->stragglers(), 1);
  EXPECT_GT(session->ran_on().count(), 0);
  EXPECT_GE(times->op.until_done, session->ran_on());
  session->finish();
}

TEST_F(SessionTest, AProcessThatDoesNotStopFailsByItself) {
  policy.stopping = std::chrono::milliseconds(500);
  start(Act::fills_tables);
  ASSERT_TRUE(session->map(tensors));
  EXPECT_FALSE(session->call());
  EXPECT_TRUE(session->over());
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::over_limit);
  EXPECT_EQ(failure.reason, "stopped in the convolution call at its limit: time to stop 0.5 s");
  EXPECT_THAT(failure.hint, HasSubstr("single system call"));
}

TEST_F(SessionTest, TheCostOfACallHasABound) {
  const auto cost = measure_call_cost(*sandbox, policy, folder.path() / "harness");
  EXPECT_GT(cost.count(), 0);
  EXPECT_LE(cost, std::chrono::microseconds(50));
}

TEST_F(SessionTest, LeftProcessesAreCounted) {
  start(Act::leaves_child);
  ASSERT_TRUE(session->map(tensors));
  ASSERT_TRUE(session->call());
  EXPECT_EQ(session->stragglers(), 1);
  ASSERT_TRUE(session->call());
  EXPECT_EQ(session->stragglers(), 2);
  session->finish();
}

/// A process that was stopped at its wall limit after `elapsed`, with this processor time.
SessionFailure timed_out(std::chrono::seconds computed, std::chrono::seconds elapsed) {
  SandboxReport report;
  report.process.end = Stopped{Stopped::Why::wall_time};
  report.process.elapsed = elapsed;
  report.process.user = computed;
  report.limit_hit = "wall time 60 s";
  const std::optional<protocol::Reply> none;
  return failure_of({true, true, none, "in the convolution call", "x, k or y"}, report).value();
}

TEST(ExitedEarly, ThePrintedErrorIsTheOneToFix) {
  SandboxReport report;
  report.process.end = Exited{1};
  const std::optional<protocol::Reply> none;
  const EndedSession session{true, true, none, "in the convolution call", "x, k or y"};
  EXPECT_THAT(failure_of(session, report)->hint, testing::Not(HasSubstr("printed")));
  report.process.standard_error = "cudaMalloc y: out of memory";
  EXPECT_THAT(failure_of(session, report)->hint,
              testing::AllOf(HasSubstr("Fix the error that it printed"), HasSubstr("must return")));
  report.process.end = Exited{0};
  EXPECT_THAT(failure_of(session, report)->hint, testing::Not(HasSubstr("printed")));
}

TEST(TimeOut, ABusyMachineIsNoSlowCode) {
  const SessionFailure waited = timed_out(8s, 60s);
  EXPECT_EQ(waited.outcome, Outcome::out_of_time);
  EXPECT_THAT(waited.hint, HasSubstr("It computed for 8.0 of these 60.0 s."));
  EXPECT_THAT(waited.hint, HasSubstr("endless loop, a lock or a sleep"));
  EXPECT_THAT(waited.hint, HasSubstr("the machine was busy: run it again"));
  EXPECT_THAT(waited.hint, testing::Not(HasSubstr("too slow")));
  EXPECT_THAT(timed_out(59s, 60s).hint, HasSubstr("far too slow"));
  EXPECT_THAT(timed_out(300s, 60s).hint, HasSubstr("far too slow")) << "with threads";
}

}  // namespace
}  // namespace opgrade
