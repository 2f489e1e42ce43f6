// One process for all cases of a stage, without a device.
#include "grader/grading/cases/layer/stage_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/grading/cases/case_run.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/conv/conv_problem.hpp"
#include "tests/support/fake_referee.hpp"
#include "tests/support/session_fixture.hpp"
#include "tests/unit/grading/cases/staying.hpp"

namespace opgrade {
namespace {

using test::Staying;

// Another run has another context, and nobody changes one that is there.
static_assert(!std::is_copy_constructible_v<StageContext> &&
              !std::is_copy_constructible_v<CaseContext>);
static_assert(!std::is_assignable_v<decltype((std::declval<StageContext&>().threads)), int> &&
              !std::is_assignable_v<decltype((std::declval<CaseContext&>().wants)), CaseWants>);

class StageProcessTest : public test::SessionFixture {
 protected:
  void SetUp() override {
    SessionFixture::SetUp();
    if (IsSkipped()) return;
    take(OPGRADE_STAYING_SUBMISSION);
    start_with(folder.path() / "harness");
  }

  void start_with(const std::filesystem::path& harness) {
    stage.reset(new StageContext{.config = config,
                                 .task = task_of(config),
                                 .interface = interface_of(config),
                                 .sandbox = *sandbox,
                                 .harness = harness,
                                 .steps = {false, false}});
    run_on(gpu);
  }

  void run_on(Referee& device) {
    context.reset(new CaseContext{.stage = *stage,
                                  .built = {.submission = folder.path() / "submission.so"},
                                  .on = {.gpu = &device, .process = &process}});
  }

  CaseReport run(Staying how) {
    const ConvShape shape{.B = 2, .M = 1, .C = 1, .H = 3, .W = static_cast<int>(how), .K = 1};
    std::vector<NamedProblem> problems;
    problems.push_back({"random shape", std::make_unique<ConvProblem>(shape)});
    return run_problems_case(*context, problems, std::mt19937_64(1));
  }

  test::FakeReferee gpu{"GPU-1"}, other{"GPU-2"};
  Config config;
  StageProcess process;
  std::unique_ptr<const StageContext> stage;
  std::unique_ptr<const CaseContext> context;
};

TEST_F(StageProcessTest, CasesThatPassShareOne) {
  const CaseReport first = run(Staying::right), second = run(Staying::right);
  EXPECT_EQ(first.outcome, Outcome::passed) << report::sentence_of(first.reason);
  EXPECT_EQ(second.outcome, Outcome::passed) << report::sentence_of(second.reason);
  EXPECT_EQ(first.student_output, "call 1\n") << "each case has what it printed itself";
  EXPECT_EQ(second.student_output, "call 2\n");
  EXPECT_EQ(second.usage.stdout_bytes, 7);
  EXPECT_GT(second.usage.elapsed_s, 0);
  EXPECT_GT(second.usage.peak_memory_bytes, 0);
  EXPECT_TRUE(process.has_served());
  EXPECT_TRUE(process.end());
  EXPECT_FALSE(process.is_there());
}

TEST_F(StageProcessTest, AFailureAfterOtherCasesIsTriedInAProcessOfItsOwn) {
  for (const Staying how : {Staying::right_once, Staying::exits_later}) {
    run(Staying::right);
    const CaseReport second = run(how);
    EXPECT_EQ(second.outcome, Outcome::passed) << report::sentence_of(second.reason);
    EXPECT_EQ(second.student_output, "call 1\n");
  }
}

TEST_F(StageProcessTest, WhatFailsThereAsWellHasFailed) {
  run(Staying::right);
  EXPECT_EQ(run(Staying::wrong).outcome, Outcome::wrong_output);
  EXPECT_FALSE(process.is_there()) << "the next case gets a new one";
  EXPECT_EQ(run(Staying::right).student_output, "call 1\n");
}

TEST_F(StageProcessTest, AFailureInTheFirstCaseCountsAtOnce) {
  EXPECT_EQ(run(Staying::wrong).student_output, "call 1\n");
  EXPECT_FALSE(process.is_there());
}

TEST_F(StageProcessTest, AFailureAtTheEndIsTold) {
  EXPECT_EQ(run(Staying::fails_at_the_end).outcome, Outcome::passed);
  EXPECT_TRUE(process.has_served());
  EXPECT_FALSE(process.end());
}

TEST_F(StageProcessTest, OneThatWasStartedAheadServesTheFirstCase) {
  process.start_device(*context);
  ASSERT_TRUE(process.is_there());
  EXPECT_FALSE(process.has_served());
  start_with("/nowhere");  // no other can start
  EXPECT_EQ(run(Staying::right).outcome, Outcome::passed);
}

TEST_F(StageProcessTest, OneOnAnotherDeviceIsOfNoUse) {
  process.start_device(*context);
  run_on(other);
  EXPECT_EQ(run(Staying::right).student_output, "call 1\n");
  run_on(gpu);
  EXPECT_EQ(run(Staying::right).student_output, "call 1\n");
}

TEST_F(StageProcessTest, OneThatWasLaunchedIsNotUsedYet) {
  process.launch(*context);
  EXPECT_TRUE(process.is_there());
  EXPECT_FALSE(process.is_used()) << "its first failure counts";
  start_with("/nowhere");  // no other can start
  EXPECT_EQ(run(Staying::right).outcome, Outcome::passed);
}

// The case then starts its own, whose failure is judged.
TEST_F(StageProcessTest, OneThatDoesNotStartIsNone) {
  start_with(OPGRADE_STAYING_SUBMISSION);  // no program
  process.start_device(*context);
  EXPECT_FALSE(process.is_there());
}

/// A report with that outcome, and how often it was asked for.
struct Asked {
  Outcome first;
  int times = 0;

  JudgedCase operator()(bool last) {
    ++times;
    JudgedCase report;
    if (!last) report.evidence.failure = {first, text_reason("a device error")};
    judge(report);
    return report;
  }
};

// The submission before may have broken its device.
TEST_F(StageProcessTest, AFailureInOneThatWasStartedAheadIsNotTheCases) {
  process.start_device(*context);
  Asked asked{Outcome::crashed};
  const CaseReport report = in_stage_process(context->on, std::ref(asked));
  EXPECT_EQ(asked.times, 2);
  EXPECT_EQ(report.outcome, Outcome::passed);
  EXPECT_THAT(report::sentence_of(report.reason), testing::EndsWith("a device error"))
      << "staff see that it happened";
}

TEST_F(StageProcessTest, AnEndlessFirstCallIsMadeOnce) {
  process.start_device(*context);
  Asked asked{Outcome::out_of_time};
  EXPECT_EQ(in_stage_process(context->on, std::ref(asked)).outcome, Outcome::out_of_time);
  EXPECT_EQ(asked.times, 1);
}

// The referee, too, may lack the memory that earlier cases hold.
TEST_F(StageProcessTest, AnErrorOfTheGradersAfterOtherCasesIsTriedAgain) {
  run(Staying::right);
  const auto work = [&](bool last) {
    if (!last) throw Error("no device memory", "a hint");
    return Asked{}(true);
  };
  EXPECT_EQ(in_stage_process(context->on, work).outcome, Outcome::passed);
  const auto broken = [](bool) -> JudgedCase { throw Error("no device memory", "a hint"); };
  EXPECT_THROW(in_stage_process(context->on, broken), Error);
}

// A process may have them mapped until it has ended.
TEST_F(StageProcessTest, TensorsStayUntilItsEnd) {
  struct Calls final : CaseCalls {
    explicit Calls(bool& given) : released(given) {}
    void begin() override {}
    std::size_t count() const override { return 0; }
    const std::string& name() const override { throw; }
    const Problem& problem() const override { throw; }
    CallTensors& tensors() override { throw; }
    std::vector<NamedProblem> with_parts(int) const override { return {}; }
    void release(TensorStore*) override { released = true; }
    bool& released;
  };
  bool released = false;
  run(Staying::right);
  process.keep(std::make_unique<Calls>(released));
  run(Staying::right);
  EXPECT_FALSE(released);
  process.end();
  EXPECT_TRUE(released);
}

}  // namespace
}  // namespace opgrade
