// One problem of a case, with a submission that works ahead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "grader/grading/cases/case_run.hpp"
#include "grader/grading/cases/layer/problem_run.hpp"
#include "grader/grading/cases/layer/referee_run.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/conv/conv_problem.hpp"
#include "tests/support/fake_referee.hpp"
#include "tests/support/session_fixture.hpp"
#include "tests/unit/grading/cases/staying.hpp"
#include "tests/unit/grading/run/acts.hpp"

namespace opgrade {
namespace {

class ConvRun : public test::SessionFixture {
 protected:
  void start(const char* submission) {
    policy.wall = std::chrono::seconds(60);
    take(submission);
    launch();
  }
};

/// SessionTest.TheInputComesWhenEverythingIsStopped shows that it is not there before the call.
TEST_F(ConvRun, ATimedCallHasAnInputOfItsOwn) {
  start(OPGRADE_STAYING_SUBMISSION);
  const ConvShape shape{.B = 2,
                        .M = 1,
                        .C = 1,
                        .H = 5,
                        .W = static_cast<int>(test::Staying::answers_from_memory),
                        .K = 1};
  ConvProblem problem(shape);
  CallTensors tensors = tensors_of(problem);
  std::mt19937_64 random(1);
  problem.fill(tensors.values(), random);
  problem.begin(tensors.values());
  RunOptions options{.warm_up = false};
  options.plan.calls = 1;
  const auto report = run_problem({*session, tensors, problem, options, [] {}});
  EXPECT_EQ(report.measurement.calls.size(), 2U) << "its answer is right for the known input";
  EXPECT_GT(report.check.mismatches, 0) << "it answered with the output of the first call";
}

class PromptCall : public ConvRun, public testing::WithParamInterface<test::Staying> {};

/// A function on the host's pointers on a GPU that does not wait for its last work: no blame, and
/// the calls that follow are waited for.
TEST_P(PromptCall, WithWorkAtItsReturnDoesNotCount) {
  start(OPGRADE_STAYING_SUBMISSION);
  const ConvShape shape{.B = 2, .M = 1, .C = 1, .H = 5, .W = static_cast<int>(GetParam()), .K = 1};
  ConvProblem problem(shape);
  CallTensors tensors = tensors_of(problem);
  std::mt19937_64 random(1);
  problem.fill(tensors.values(), random);
  problem.begin(tensors.values());
  RunOptions options{.warm_up = false, .returns_with_output = true};
  options.plan = {.warm_ups = 0, .calls = 2};
  const CallReport report = run_problem({*session, tensors, problem, options, [] {}});
  EXPECT_TRUE(report.check.passed());
  EXPECT_TRUE(report.timed);
  EXPECT_EQ(report.late_calls, 0);
  std::vector<CallUse> uses;
  for (const CallSample& call : report.measurement.calls) uses.push_back(call.use);
  EXPECT_THAT(uses, testing::ElementsAre(CallUse::known_input, CallUse::overtaken, CallUse::counts,
                                         CallUse::counts));
}

INSTANTIATE_TEST_SUITE_P(Work, PromptCall,
                         testing::Values(test::Staying::copies_later, test::Staying::works_on));

TEST(PartsToCheck, AsManyAsTheCallHasTimeFor) {
  using std::chrono::milliseconds;
  EXPECT_EQ(parts_to_check(1000, milliseconds(4000), milliseconds(4000)), 1000);
  EXPECT_EQ(parts_to_check(1000, milliseconds(2000), milliseconds(4000)), 500);
  EXPECT_EQ(parts_to_check(1000, milliseconds(1), milliseconds(100)), 1000);
  EXPECT_EQ(parts_to_check(1000, milliseconds(1), milliseconds(250'000)), 32);
  EXPECT_EQ(parts_to_check(10, milliseconds(1), milliseconds(250'000)), 10);
}

TEST_F(ConvRun, ACompanionOnTheDeviceIsNotTimedByTheCallAlone) {
  start(OPGRADE_SUBMISSION);
  const ConvShape shape{.B = 2, .M = 1, .C = 1, .H = 5, .W = 7, .K = 1};
  ConvProblem problem(shape);
  CallTensors tensors = tensors_of(problem);
  tensors.input(1).as<float>()[0] = static_cast<float>(test::Act::leaves_child);
  problem.begin(tensors.values());
  test::FakeReferee referee("GPU-1");
  const RunOptions options;
  const auto report = run_with_referee({*session, tensors, problem, options, [] {}}, referee);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error(), notes::NotOnDevice::accompanied);
}

// Only the referee poisons a device's y.
TEST_F(ConvRun, ShapesOnADeviceAreRunWithTheReferee) {
  take(OPGRADE_SUBMISSION);
  const Config config;
  test::FakeReferee referee("GPU-1");
  const StageContext stage{.config = config,
                           .task = task_of(config),
                           .interface = interface_of(config),
                           .sandbox = *sandbox,
                           .harness = folder.path() / "harness"};
  const CaseContext context{.stage = stage,
                            .built = {.submission = folder.path() / "submission.so"},
                            .on = {.referee = &referee}};
  std::mt19937_64 random(1);
  const ConvShape shape{.B = 2, .M = 1, .C = 1, .H = 5, .W = 7, .K = 1};
  std::vector<NamedProblem> problems;
  problems.push_back({"random shape", std::make_unique<ConvProblem>(shape)});
  run_problems_case(context, problems, random);
  EXPECT_EQ(referee.loads, 1);
}

}  // namespace
}  // namespace opgrade
