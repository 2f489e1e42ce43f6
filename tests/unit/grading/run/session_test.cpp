// The session between grader and harness, call by call: inputs, times, gates and devices.
#include "grader/grading/run/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>

#include "grader/grading/run/call_cost.hpp"
#include "grader/grading/run/output_witness.hpp"
#include "grader/platform/sandbox/proc.hpp"
#include "tests/unit/grading/run/acting_session.hpp"

namespace opgrade {
namespace {

using test::Act;
using test::SessionTest;

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
  policy.environment.emplace_back("SAY_LOADED=1");
  for (const bool has_turn : {false, true}) {
    session.emplace(*sandbox, policy, InterfaceSteps{false, false}, folder.path() / "harness",
                    folder.path() / "submission.so", Session::Load::later);
    ASSERT_TRUE(session->await_harness());
    if (has_turn) {
      take(OPGRADE_SUBMISSION);  // it was built meanwhile
      session->load();
      tensors.input(1).as<float>()[0] = static_cast<float>(Act::honest);
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

// Its threads would wait for ever.
TEST_F(SessionTest, AStartOfADeviceHasALimit) {
  policy.mounts.push_back({"/dev/null", "/dev/null", Mount::Access::device});
  policy.wall = std::chrono::milliseconds(500);
  session.emplace(*sandbox, policy, InterfaceSteps{false, false}, folder.path() / "harness",
                  folder.path() / "submission.so", Session::Load::later);
  ASSERT_TRUE(session->await_harness());
  session->await_case();  // as one that waits for its turn
  for (const int pid : proc::descendants(::getpid())) ::kill(pid, SIGSTOP);
  EXPECT_FALSE(session->start_device());
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
  OutputWitness witness(tensors.output().bytes(), 1);
  const auto times = session->call([&] { fill(1); }, &witness);
  ASSERT_TRUE(times);
  // The call takes 20 ms, so an earlier "done" is the lie. Grader and process may be late on a busy
  // machine, and what is there when the grader looks is no lie.
  if (times->op.until_proven < std::chrono::milliseconds(20)) {
    EXPECT_FALSE(right() && !witness.changed()) << "nothing of what came later is overlooked";
  }
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
    for (float& v : other.input(0).as<float>()) v = static_cast<float>(H);
    ASSERT_TRUE(session->map(other));
    ASSERT_TRUE(session->call());
    EXPECT_EQ(other.output().as<float>().back(), static_cast<float>(2 * H));
  }
}

// The gigabyte of a network's first output is there for the smaller ones behind it.
TEST_F(SessionTest, AnOutputThatBecameSmallerIsMappedAsBefore) {
  start(Act::honest);
  CallTensors few{{1, 1, 1, 5, 7, 1, 1}, {35, 35, 1}};
  CallTensors large{{400, 1, 1, 5, 7, 1, 1}, {14000, 14000, 1}};
  for (CallTensors* const one : {&few, &large}) one->input(1).as<float>()[0] = 0;
  std::swap(tensors, large);
  for (const int batch : {400, 200, 100, 300}) {
    ASSERT_TRUE(session->map(few));
    ASSERT_TRUE(session->call());
    tensors.sizes[0] = batch;
    tensors.output().resize(batch * 35L);
    tensors.input(0).resize(batch * 35L);
    fill(static_cast<float>(batch));
    ASSERT_TRUE(session->map(tensors));
    ASSERT_TRUE(session->call());
    EXPECT_TRUE(right()) << batch;
    EXPECT_TRUE(tensors.output().red_zone_intact());
  }
}

TEST_F(SessionTest, EachCaseHasItsOwnOutputAndTime) {
  policy.environment.emplace_back("SAY_LOADED=1");
  start(Act::honest);
  ASSERT_TRUE(session->map(tensors));
  ASSERT_TRUE(session->call());
  const auto first = session->end_case();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->process.standard_output, "loaded\n");
  EXPECT_GE(first->process.elapsed, std::chrono::milliseconds(20)) << "the call";
  session->begin_case();
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(session->map(tensors));
  fill(3);
  ASSERT_TRUE(session->call());
  EXPECT_TRUE(right());
  const auto report = session->finish();
  EXPECT_LE(report.process.elapsed, std::chrono::steady_clock::now() - begin);
  EXPECT_EQ(report.process.standard_output, "");
  EXPECT_FALSE(session->failure(report));
}

TEST_F(SessionTest, ACaseOfAnEndedProcessHasNoEnd) {
  start(Act::exits);
  ASSERT_TRUE(session->map(tensors));
  ASSERT_FALSE(session->call());
  EXPECT_FALSE(session->end_case());
  EXPECT_EQ(failed().outcome, Outcome::exited_early);
}

// Where there is a device x may be written to, because drivers register no other memory.
TEST_F(SessionTest, WhatIsWrittenToTheInputStaysInItsProcess) {
  start(Act::writes_input);
  ASSERT_TRUE(session->map(tensors));
  fill(1);
  ASSERT_TRUE(session->call());
  EXPECT_EQ(tensors.output().as<float>()[0], 10) << "it has seen its own 5";
  EXPECT_NE(tensors.input(0).as<float>()[0], 5);
  tensors.input(1).as<float>()[0] = static_cast<float>(Act::honest);
  fill(2);
  ASSERT_TRUE(session->call());
  EXPECT_FALSE(right()) << "its page is its own";
  fill(2);
  ASSERT_TRUE(session->map(tensors));
  ASSERT_TRUE(session->call());
  EXPECT_TRUE(right()) << "mapped anew, it sees the grader's values";
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

/// It runs on until it is stopped, in nobody's time.
TEST_F(SessionTest, WhatAnotherProcessCouldRunOnIsCharged) {
  start(Act::leaves_worker);
  ASSERT_TRUE(session->map(tensors));
  const auto times = session->call();
  ASSERT_TRUE(times);
  EXPECT_EQ(session->stragglers(), 1);
  EXPECT_GT(session->ran_on().count(), 0);
  EXPECT_GE(times->op.until_done, session->ran_on());
  session.reset();  // finish() would wait for a process that does not answer
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

}  // namespace
}  // namespace opgrade
