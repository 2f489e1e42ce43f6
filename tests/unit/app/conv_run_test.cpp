// One convolution of a case, with a submission that works ahead.
#include "grader/app/conv_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "grader/app/case_run.hpp"
#include "grader/app/referee_run.hpp"
#include "tests/support/fake_referee.hpp"
#include "tests/support/session_fixture.hpp"
#include "tests/unit/app/peeking.hpp"
#include "tests/unit/run/acts.hpp"

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

TEST_F(ConvRun, TheInputOfATimedCallIsNotThereBeforeIt) {
  start(OPGRADE_PEEKING_SUBMISSION);
  const ConvShape shape{
      .B = test::kBatch, .M = 1, .C = 1, .H = test::kSide, .W = test::kSide, .K = 1};
  ConvTensors tensors(shape);
  std::mt19937_64 random(1);
  for (float& v : tensors.x.values()) v = static_cast<float>(1 + random() % 1000);
  const std::array<float, 1> k{2};
  std::ranges::copy(k, tensors.k.values().begin());
  ConvRunOptions options;
  options.timing.repetitions = 1;
  const auto report =
      run_conv(*session, tensors, FastConv<double>(shape, k.data()), options, [] {});
  EXPECT_EQ(report.check.checked, test::kElements) << "the call must have come to its end";
  EXPECT_GT(report.check.mismatches, 0) << "it answered with what it had seen before the call";
}

TEST(ImagesToCheck, AsManyAsTheCallHasTimeFor) {
  using std::chrono::milliseconds;
  EXPECT_EQ(images_to_check(1000, milliseconds(4000), milliseconds(4000)), 1000);
  EXPECT_EQ(images_to_check(1000, milliseconds(2000), milliseconds(4000)), 500);
  EXPECT_EQ(images_to_check(1000, milliseconds(1), milliseconds(250)), 1000);
  EXPECT_EQ(images_to_check(1000, milliseconds(1), milliseconds(250'000)), 32);
  EXPECT_EQ(images_to_check(10, milliseconds(1), milliseconds(250'000)), 10);
}

TEST_F(ConvRun, ACompanionOnTheDeviceIsNotTimedByTheCallAlone) {
  start(OPGRADE_SUBMISSION);
  const ConvShape shape{.B = 2, .M = 1, .C = 1, .H = 5, .W = 7, .K = 1};
  ConvTensors tensors(shape);
  const std::array<float, 1> k{static_cast<float>(test::Act::leaves_child)};
  std::ranges::copy(k, tensors.k.values().begin());
  test::FakeReferee referee("GPU-1");
  std::string note;
  const auto report = run_conv_with_referee(
      *session, tensors, FastConv<double>(shape, k.data()), referee, ConvRunOptions{}, [] {}, note);
  EXPECT_FALSE(report);
  EXPECT_THAT(note, testing::HasSubstr("another process of the submission"));
}

// Only the referee poisons a device's y.
TEST_F(ConvRun, ShapesOnADeviceAreRunWithTheReferee) {
  take(OPGRADE_SUBMISSION);
  const Config config;
  test::FakeReferee referee("GPU-1");
  CaseContext context{config, *sandbox, folder.path() / "harness", folder.path() / "submission.so"};
  context.referee = &referee;
  std::mt19937_64 random(1);
  const ConvShape shape{.B = 2, .M = 1, .C = 1, .H = 5, .W = 7, .K = 1};
  run_shapes_case(context, {{.name = "random shape", .shape = shape}}, random);
  EXPECT_EQ(referee.loads, 1);
}

}  // namespace
}  // namespace opgrade
