// Which calls of a case are recorded, without a device.
#include "grader/grading/cases/rerun/case_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/grading/cases/layer/layer_run.hpp"
#include "grader/grading/cases/layer/stage_process.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/conv/conv_problem.hpp"
#include "tests/support/session_fixture.hpp"
#include "tests/unit/grading/cases/recorded.hpp"

namespace opgrade {
namespace {

using testing::ElementsAre;

/// Two layers, of which the last one's buffers are there.
class TwoLayers final : public CaseCalls {
 public:
  TwoLayers(int batch, int width) {
    add("conv1", {.B = batch, .M = 4, .C = 1, .H = 8, .W = width, .K = 3});
    add("conv2", {.B = batch, .M = 16, .C = 4, .H = 6, .W = width, .K = 3});
    tensors_.emplace(tensors_of(*all_.back().problem));
  }

  void begin() override {}
  std::size_t count() const override { return all_.size(); }
  const std::string& name() const override { return all_.back().name; }
  const Problem& problem() const override { return *all_.back().problem; }
  CallTensors& tensors() override { return *tensors_; }
  std::vector<NamedProblem> with_parts(int most) const override {
    std::vector<NamedProblem> some;
    for (const auto& [name, problem] : all_)
      some.push_back({name, problem->first_parts(std::min(most, problem->parts()))});
    return some;
  }
  void release(TensorStore*) override {}

 private:
  void add(const char* name, ConvShape shape) {
    all_.push_back({name, std::make_unique<ConvProblem>(shape)});
  }

  std::vector<NamedProblem> all_;
  std::optional<CallTensors> tensors_;
};

class CaseProfileTest : public test::SessionFixture {
 protected:
  void SetUp() override {
    SessionFixture::SetUp();
    if (IsSkipped()) return;
    take(OPGRADE_RECORDED_SUBMISSION);
    launch("submission.so", {true, false});
  }

  /// A case's calls, and then what is recorded.
  std::optional<ProfileReport> record(int batch, int width = 7) {
    TwoLayers calls(batch, width);
    if (called) {
      EXPECT_TRUE(session->map(calls.tensors()));
      EXPECT_TRUE(session->call());
    }
    const StageContext shared{.config = config,
                              .task = task_of(config),
                              .interface = interface_of(config),
                              .sandbox = *sandbox,
                              .harness = {},
                              .device = device};
    const CaseContext context{.stage = shared, .built = {}, .on = {.process = process}};
    return profile_case(context, judged, *session, calls, [this] {
      ++started;
      return std::make_unique<Session>(*sandbox, policy, InterfaceSteps{true, false},
                                       folder.path() / "harness", folder.path() / "submission.so");
    });
  }

  /// The sizes of the calls in which it launched in that step.
  static std::vector<std::array<int, 3>> launches(const std::optional<ProfileReport>& report,
                                                  const std::string& step) {
    std::vector<std::array<int, 3>> all;
    for (const auto& row : report->launches)
      if (row.step == step) all.push_back({row.grid[0], row.grid[1], row.grid[2]});
    std::ranges::sort(all, {}, [](const auto& grid) { return grid[1]; });
    return all;
  }

  CaseReport judged;  ///< what is known of the case before
  Config config;
  Device device = Device::cuda;
  bool called = true;
  int started = 0;
  StageProcess stage;
  StageProcess* process = nullptr;
};

TEST_F(CaseProfileTest, QuietCallsAreRecordedOnTheSmallestBatch) {
  const auto seen = record(200);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->problem, "");
  EXPECT_THAT(launches(seen, "conv"), ElementsAre(std::array{100, 4, 8}, std::array{100, 16, 6}));
  ASSERT_EQ(seen->layers.size(), 2U);
  EXPECT_EQ(seen->layers[0].launches, 1);
  EXPECT_EQ(seen->layers[1].launches, 1);
}

TEST_F(CaseProfileTest, LaunchesOutsideAreRecordedAtTheFullSizeOfEachLayer) {
  const auto seen = record(200, test::kOutside);
  ASSERT_TRUE(seen);
  EXPECT_THAT(launches(seen, "conv"), ElementsAre(std::array{200, 4, 8}, std::array{200, 16, 6}));
  EXPECT_THAT(launches(seen, "prolog"), ElementsAre(std::array{200, 4, 8}, std::array{200, 16, 6}));
  ASSERT_EQ(seen->layers.size(), 2U);
  EXPECT_EQ(seen->layers[0].outside_launches, 1);
  EXPECT_EQ(seen->layers[1].outside_launches, 1);
}

// At the full size that would take as long as several calls.
TEST_F(CaseProfileTest, WhatIsInOpTimeAlreadyIsNotLookedFor) {
  CallReport whole;
  whole.timed = true;
  whole.measurement.whole_layer = "the prolog computes";
  judged.calls = {whole, whole};
  EXPECT_FALSE(record(200, test::kOutside));
  for (const OutsideWork rule : {OutsideWork::reject, OutsideWork::allow}) {
    config.timing.outside_work = rule;
    EXPECT_TRUE(record(200, test::kOutside));
  }
  config.timing.outside_work = OutsideWork::count;
  judged.calls.back().measurement.whole_layer.clear();
  EXPECT_TRUE(record(200, test::kOutside)) << "prolog and epilog are in the other layer's time";
  judged.calls.back() = whole;
  judged.calls.back().timed = false;
  EXPECT_TRUE(record(200, test::kOutside));
}

// Else a submission could pass by its size.
TEST_F(CaseProfileTest, AConfigThatRejectsLooksAtTheFullSize) {
  config.timing.outside_work = OutsideWork::reject;
  process = &stage;
  for (int i = 0; i < 2; ++i) {
    const auto seen = record(200);
    ASSERT_TRUE(seen);
    EXPECT_THAT(launches(seen, "conv"), ElementsAre(std::array{200, 4, 8}, std::array{200, 16, 6}));
  }
}

TEST_F(CaseProfileTest, TheSameCallsAreRecordedOnceInAStage) {
  process = &stage;
  EXPECT_TRUE(record(3));
  EXPECT_TRUE(record(150)) << "100 images are more than 3";
  EXPECT_FALSE(record(200)) << "its first 100 images are those of the case before";
  EXPECT_FALSE(record(100));
  EXPECT_TRUE(record(200, 8)) << "another network";
}

TEST_F(CaseProfileTest, ExpectedCallsAreRecordedWithTheFirst) {
  process = &stage;
  stage.outside_launches().expect(TwoLayers(3, 7).with_parts(kSmallestBatch));
  stage.outside_launches().expect(TwoLayers(200, 7).with_parts(kSmallestBatch));
  stage.outside_launches().expect(TwoLayers(50, test::kOutside).with_parts(kSmallestBatch));
  const auto seen = record(3);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->layers.size(), 2U) << "its own";
  EXPECT_EQ(seen->layers[1].launches, 1);
  EXPECT_THAT(launches(seen, "conv"), testing::SizeIs(6)) << "each calls once";
  EXPECT_FALSE(record(200));
  EXPECT_TRUE(record(50, test::kOutside)) << "it launches outside";
}

TEST_F(CaseProfileTest, ExpectedCallsDoNotMakeACaseLoud) {
  process = &stage;
  stage.outside_launches().expect(TwoLayers(50, test::kOutside).with_parts(kSmallestBatch));
  const auto seen = record(200);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->layers[0].shape,
            ConvProblem({.B = 100, .M = 4, .C = 1, .H = 8, .W = 7, .K = 3}).sizes());
  EXPECT_EQ(seen->layers[0].outside_launches, 0);
}

TEST_F(CaseProfileTest, AProcessThatEndsInAnotherCasesCallLosesNoRecord) {
  process = &stage;
  stage.outside_launches().expect(TwoLayers(50, test::kExits).with_parts(kSmallestBatch));
  const auto seen = record(3, test::kOutside);
  EXPECT_TRUE(session->over());
  EXPECT_EQ(started, 1);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->problem, "");
  EXPECT_EQ(seen->layers.at(0).outside_launches, 1);
  launch("submission.so", {true, false});
  const auto quiet = record(3);
  ASSERT_TRUE(quiet);
  EXPECT_EQ(quiet->problem, "");
  EXPECT_EQ(started, 1) << "the call that fails is expected no more";
}

// As from a process that answers in the harness's place.
TEST(OutsideLaunchesTest, ARecordWithoutLayersTeachesNothing) {
  OutsideLaunches launches;
  const auto calls = TwoLayers(3, 7).with_parts(kSmallestBatch);
  launches.learn(calls, ProfileReport{});
  EXPECT_FALSE(launches.are_quiet(calls));
}

TEST_F(CaseProfileTest, AProcessWithoutCallsIsRecorded) {
  called = false;
  const auto seen = record(3);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->problem, "");
  EXPECT_EQ(seen->layers.at(1).launches, 1);
}

TEST_F(CaseProfileTest, LaunchesOutsideCountInEachCase) {
  process = &stage;
  for (const int batch : {100, 200}) {
    const auto seen = record(batch, test::kOutside);
    ASSERT_TRUE(seen);
    EXPECT_EQ(launches(seen, "prolog").size(), 2U);
  }
}

TEST_F(CaseProfileTest, WithoutADeviceNothingIsRecorded) {
  device = Device::cpu;
  EXPECT_FALSE(record(200));
}

}  // namespace
}  // namespace opgrade
