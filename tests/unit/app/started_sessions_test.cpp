// A stage's processes that start together, with a device that nobody has.
#include "grader/cases/started_sessions.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/fake_referee.hpp"
#include "tests/support/session_fixture.hpp"

namespace opgrade {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

class StartedSessionsTest : public test::SessionFixture {
 protected:
  void SetUp() override {
    SessionFixture::SetUp();
    if (IsSkipped()) return;
    take(OPGRADE_SUBMISSION);
    config.run_limits.processes = 1024;
    context.emplace(CaseContext{.config = config,
                                .sandbox = *sandbox,
                                .harness = folder.path() / "harness",
                                .submission = folder.path() / "submission.so",
                                .steps = {false, false},
                                .gpu = &gpu});
  }

  /// Takes all that wait, which end with what this gives back.
  std::vector<std::unique_ptr<Session>> take_all() {
    std::vector<std::unique_ptr<Session>> all;
    while (auto one = started.take(*context)) all.push_back(std::move(one));
    return all;
  }

  test::FakeReferee gpu{"GPU-1"}, other{"GPU-2"};
  Config config;
  std::optional<CaseContext> context;
  StartedSessions started;
};

TEST_F(StartedSessionsTest, EachCaseGetsOneThatLoadsTheSubmission) {
  gpu.free_bytes = 64 * kGiB;
  started.start(*context, 3);
  const auto all = take_all();
  ASSERT_EQ(all.size(), 3U);
  for (const auto& one : all) {
    CallTensors tensors{{2, 1, 1, 5, 7, 1, 1}, {70, 70, 1}};
    EXPECT_TRUE(one->map(tensors)) << "loaded";
  }
}

TEST_F(StartedSessionsTest, NoneForASingleCase) {
  gpu.free_bytes = 64 * kGiB;
  started.start(*context, 1);
  EXPECT_TRUE(take_all().empty());
}

// An eighth of the free memory, one GiB each.
TEST_F(StartedSessionsTest, AsManyAsTheDeviceHasRoomFor) {
  gpu.free_bytes = 16 * kGiB;
  started.start(*context, 5);
  EXPECT_EQ(take_all().size(), 2U);
}

TEST_F(StartedSessionsTest, NoneWhereTheDeviceHasRoomForOne) {
  gpu.free_bytes = 15 * kGiB;
  started.start(*context, 5);
  EXPECT_TRUE(take_all().empty());
}

// 64 threads each: in some tiers the limit is a user's.
TEST_F(StartedSessionsTest, AsManyAsTheLimitOfProcessesAllows) {
  gpu.free_bytes = 64 * kGiB;
  config.run_limits.processes = 200;
  started.start(*context, 5);
  EXPECT_EQ(take_all().size(), 3U);
}

TEST_F(StartedSessionsTest, OnceForADevice) {
  gpu.free_bytes = 64 * kGiB;
  started.start(*context, 2);
  EXPECT_EQ(take_all().size(), 2U);
  started.start(*context, 2);
  EXPECT_TRUE(take_all().empty());
}

TEST_F(StartedSessionsTest, ThoseOfAnotherDeviceAreOfNoUse) {
  gpu.free_bytes = other.free_bytes = 64 * kGiB;
  started.start(*context, 2);
  context->gpu = &other;
  EXPECT_EQ(started.take(*context), nullptr);
  started.start(*context, 3);
  EXPECT_EQ(take_all().size(), 3U);
}

// The case then starts its own, whose failure is judged.
TEST_F(StartedSessionsTest, OnesThatDoNotStartAreLeftOut) {
  gpu.free_bytes = 64 * kGiB;
  context->harness = OPGRADE_SUBMISSION;  // no program
  started.start(*context, 2);
  EXPECT_TRUE(take_all().empty());
}

TEST_F(StartedSessionsTest, NoneWithoutADevice) {
  context->gpu = nullptr;
  started.start(*context, 2);
  EXPECT_EQ(started.take(*context), nullptr);
}

}  // namespace
}  // namespace opgrade
