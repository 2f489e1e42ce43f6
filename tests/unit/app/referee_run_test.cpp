// The timing loop of a GPU, with a real process and a referee without a device.
#include "grader/cases/referee_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "grader/core/keyed_sum.hpp"
#include "grader/tasks/conv/conv_problem.hpp"
#include "tests/support/fake_referee.hpp"
#include "tests/support/session_fixture.hpp"

namespace opgrade {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Writes down the order in which it is asked; finds every output right.
class RecordingReferee final : public test::FakeReferee {
 public:
  explicit RecordingReferee(const CallTensors& tensors) : FakeReferee("GPU-1"), tensors_(tensors) {}

  std::string did;  ///< l(oad) a(ttach) p(repare) P(repare the known input) h(old) ...
  milliseconds proof{};
  nanoseconds other_work{};
  int late_call = -1, late_again = -1;
  std::vector<bool> right;           ///< of the first checks; all later ones are
  std::vector<float> x_at_attach{};  ///< of the last one

  void load(DeviceProblem) override { did += 'l'; }
  bool attach(const SharedDeviceTensor&, const SharedDeviceTensor&) override {
    did += 'a';
    x_at_attach.assign(tensors_.input(0).values().begin(), tensors_.input(0).values().end());
    return true;
  }
  void prepare(std::uint64_t signs, Start) override { did += signs == kAsLoaded ? 'P' : 'p'; }
  void hold() override { did += 'h'; }
  void release() override { did += 'r'; }
  void prove_done() override {
    did += 'd';
    std::this_thread::sleep_for(proof);
  }
  nanoseconds intrusion() override {
    did += 'i';
    return other_work;
  }
  CheckReport check(double, std::uint64_t) override {
    did += 'c';
    const bool wrong = checks_ < right.size() && !right[checks_];
    ++checks_;
    return {.checked = 1, .mismatches = wrong ? 1 : 0};
  }
  bool output_stayed() override {
    did += 's';
    ++calls_;
    return calls_ - 1 != late_call && calls_ - 1 != late_again;
  }
  void sum_checked(std::uint64_t key) override { key_ = key; }
  std::uint64_t sum_of_checked() override { return keyed_sum(tensors_.output().values(), key_, 1); }

 private:
  const CallTensors& tensors_;
  std::uint64_t key_ = 0;
  int calls_ = 0;
  std::size_t checks_ = 0;
};

class RefereeRun : public test::SessionFixture {
 protected:
  void SetUp() override {
    SessionFixture::SetUp();
    if (IsSkipped()) return;
    policy.wall = std::chrono::seconds(60);
    take(OPGRADE_SHARING_SUBMISSION);
    launch("submission.so", {true, true});
    std::ranges::fill(tensors.input(0).values(), 3.0F);
    std::ranges::copy(k, tensors.input(1).values().begin());
    problem.begin(tensors.values());
    options.plan.calls = 2;
  }

  CallReport run() {
    std::string note;
    const auto report = run_with_referee(
        *session, tensors, problem, referee, options, [&] { ++used; }, note);
    EXPECT_TRUE(report) << note;
    return report.value_or(CallReport{});
  }

  const std::array<float, 1> k{2};
  ConvProblem problem{{.B = 2, .M = 1, .C = 1, .H = 5, .W = 7, .K = 1}};
  CallTensors tensors = tensors_of(problem);
  RecordingReferee referee{tensors};
  RunOptions options;
  int used = 0;
};

TEST_F(RefereeRun, PreparesHoldsReleasesAndProvesEachCall) {
  const CallReport report = run();
  EXPECT_EQ(referee.did,
            "la"
            "phrdics"
            "phrdics"
            "phrdics"
            "Phrdics");
  EXPECT_TRUE(report.timed);
  EXPECT_EQ(report.op_time.samples_ms.size(), 2U);
  EXPECT_EQ(used, 1);
}

TEST_F(RefereeRun, AnUntimedRunSeesThatThePrologHasDoneTheWork) {
  options.plan.calls = 0;
  referee.right = {false, false, true, false};
  std::string note;
  const auto report = run_with_referee(
      *session, tensors, problem, referee, options, [&] { ++used; }, note);
  EXPECT_FALSE(report);
  EXPECT_THAT(note, testing::HasSubstr("its prolog already works on the input"));
  EXPECT_THAT(referee.x_at_attach, testing::Each(3.0F)) << "as it was loaded";
}

TEST_F(RefereeRun, TheProofIsInTheTime) {
  referee.proof = milliseconds(20);
  const CallReport report = run();
  EXPECT_GE(report.op_time.minimum_ms, 20);
  EXPECT_GE(report.layer_time.minimum_ms, 20);
}

TEST_F(RefereeRun, OtherWorkOnTheDeviceIsInTheTime) {
  referee.other_work = milliseconds(5);
  const CallReport report = run();
  EXPECT_GE(report.op_time.minimum_ms, 5);
  EXPECT_EQ(report.busy_calls, 2);
}

/// A first call is waited for.
TEST_F(RefereeRun, OneLateOutputLeavesNoTime) {
  options.short_call = std::chrono::hours(1);
  referee.late_call = 0;
  const CallReport report = run();
  EXPECT_TRUE(report.check.passed());
  EXPECT_FALSE(report.timed);
  EXPECT_EQ(report.late_calls, 1);
}

/// Those after a long one are, too.
TEST_F(RefereeRun, ALateOutputOfALongCallLeavesNoTime) {
  options.short_call = nanoseconds(0);
  referee.late_call = 1;
  const CallReport report = run();
  EXPECT_FALSE(report.timed);
  EXPECT_EQ(report.late_calls, 1);
}

/// The proof came before all work of a prompt call: no blame, and calls that are waited for.
TEST_F(RefereeRun, APromptCallWhoseProofComesFirstDoesNotCount) {
  options.short_call = std::chrono::hours(1);
  referee.late_call = 1;
  const CallReport report = run();
  EXPECT_TRUE(report.timed);
  EXPECT_EQ(report.late_calls, 0);
  std::vector<CallUse> uses;
  for (const CallSample& call : report.measurement.calls) uses.push_back(call.use);
  EXPECT_THAT(uses, testing::ElementsAre(CallUse::warm_up, CallUse::overtaken, CallUse::counts,
                                         CallUse::counts, CallUse::known_input));
}

/// Once is enough to know: an output that is late again has no time.
TEST_F(RefereeRun, AfterThatALateOutputLeavesNoTime) {
  options.short_call = std::chrono::hours(1);
  referee.late_call = 1;
  referee.late_again = 2;
  const CallReport report = run();
  EXPECT_FALSE(report.timed);
  EXPECT_EQ(report.late_calls, 1);
}

}  // namespace
}  // namespace opgrade
