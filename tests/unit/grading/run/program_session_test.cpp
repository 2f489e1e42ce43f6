// A session with a program: `main` runs once a process, and its process ends as a program's does.
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>

#include "grader/grading/run/session.hpp"
#include "grader/grading/run/session_failure.hpp"
#include "tests/support/session_fixture.hpp"
#include "tests/unit/grading/run/program_acts.hpp"

namespace opgrade {
namespace {

using test::ProgramAct;

class ProgramSessionTest : public test::SessionFixture {
 protected:
  void start(ProgramAct act) {
    take(OPGRADE_PROGRAM_SUBMISSION);
    launch("submission.so", {.prolog = false, .epilog = false, .ends_process = true});
    tensors.input(0).as<float>()[0] = static_cast<float>(act);
    tensors.output().poison(1);
    ASSERT_TRUE(session->map(tensors));
  }
  float output() const { return tensors.output().as<float>()[0]; }
  void set_input(float value) { tensors.input(0).as<float>()[1] = value; }
  SessionFailure failed() {
    const auto report = session->finish();
    return session->failure(report).value_or(SessionFailure{Outcome::passed, {}});
  }

  CallTensors tensors{{1}, {1, 2}};
};

// Both of the process's own numbers are as in a new one, and the destructor has run.
TEST_F(ProgramSessionTest, EachCallHasAProcess) {
  start(ProgramAct::honest);
  for (float input = 10; input < 40; input += 10) {
    ASSERT_TRUE(session->call([&] { set_input(input); })) << "an input after the process started";
    EXPECT_EQ(output(), input + 2);
    EXPECT_EQ(session->stragglers(), 0);
  }
  ASSERT_TRUE(session->map(tensors));
  ASSERT_TRUE(session->call());
  EXPECT_EQ(failed().outcome, Outcome::passed);
}

TEST_F(ProgramSessionTest, TheOutputOfAFailedMainDoesNotCount) {
  start(ProgramAct::returns_one);
  ASSERT_TRUE(session->call());
  EXPECT_TRUE(std::isnan(output()));
  EXPECT_EQ(failed().outcome, Outcome::passed) << "its output is judged, not its end";
}

TEST_F(ProgramSessionTest, ASignalEndsTheSession) {
  start(ProgramAct::crashes);
  EXPECT_FALSE(session->call());
  const auto failure = failed();
  EXPECT_EQ(failure.outcome, Outcome::crashed);
  const auto* const crash = failure.reason.get_if<why::Crashed>();
  ASSERT_NE(crash, nullptr);
  EXPECT_EQ(crash->signal, SIGSEGV);
}

TEST_F(ProgramSessionTest, AnEndWithoutHandlersIsNoOutput) {
  start(ProgramAct::vanishes);
  EXPECT_FALSE(session->call());
  EXPECT_EQ(failed().outcome, Outcome::exited_early);
}

TEST_F(ProgramSessionTest, AProcessThatItLeavesIsAStraggler) {
  start(ProgramAct::leaves_child);
  ASSERT_TRUE(session->call());
  EXPECT_EQ(output(), 2);
  EXPECT_EQ(session->stragglers(), 1);
}

TEST_F(ProgramSessionTest, AnotherProcessOfItsOwnDoesNotEndTheCall) {
  start(ProgramAct::helper_ends_first);
  ASSERT_TRUE(session->call());
  EXPECT_EQ(output(), 2);
}

}  // namespace
}  // namespace opgrade
