// The timing loop of a GPU, with a real process and a referee without a device.
#include "grader/grading/cases/layer/referee_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "grader/base/core/keyed_sum.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/grading/cases/layer/prepared_run.hpp"
#include "grader/task/conv/conv_problem.hpp"
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
    x_at_attach.assign(tensors_.input(0).as<float>().begin(), tensors_.input(0).as<float>().end());
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
  std::uint64_t sum_of_checked() override {
    return keyed_sum(tensors_.output().as<float>(), key_, 1);
  }

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
    std::ranges::fill(tensors.input(0).as<float>(), 3.0F);
    std::ranges::copy(k, tensors.input(1).as<float>().begin());
    problem.begin(tensors.values());
    options.plan.calls = 2;
  }

  LayerResult try_run() {
    return run_with_referee({*session, tensors, problem, options, [&] { ++used; }}, referee);
  }

  CallReport run() {
    const LayerResult report = try_run();
    EXPECT_TRUE(report) << static_cast<int>(report.error());
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
  const LayerResult report = try_run();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error(), notes::NotOnDevice::prolog_works_on_input);
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

/// A convolution whose inputs the host makes, as those of a lecturer's task.
class OfTheHost final : public Problem {
 public:
  explicit OfTheHost(const ConvShape& shape) : conv_(shape) {}

  const Coordinates& sizes() const override { return conv_.sizes(); }
  std::vector<BufferShape> buffers() const override { return conv_.buffers(); }
  void fill(const Values& values, std::mt19937_64&) const override { refresh(values, 1); }
  void begin(const Values& values) override { conv_.begin(values); }
  void refresh(const Values& values, int) const override {
    SystemRandom random;
    for (float& x : values[1].as<float>()) x = static_cast<float>(1 + random() % 1000);
    values[2].as<float>().front() = 2;
  }
  int parts() const override { return conv_.parts(); }
  std::unique_ptr<Problem> first_parts(int count) const override {
    return conv_.first_parts(count);
  }
  CheckReport check(const Values& values, double tolerance, std::span<const int> parts,
                    int threads) const override {
    return conv_.check(values, tolerance, parts, threads);
  }
  Coordinates place_of(std::int64_t index) const override { return conv_.place_of(index); }
  Hint explain(const Values& values, const CheckReport& report) const override {
    return conv_.explain(values, report);
  }
  double flops() const override { return conv_.flops(); }
  std::optional<Arena> arena() const override {
    Arena arena;
    for (const auto& buffer : buffers()) {
      arena.starts.emplace_back(arena.bytes);
      arena.bytes += buffer.size().bytes();
    }
    return arena;
  }

 private:
  ConvProblem conv_;
};

/// Has a device on which each output is its input times a factor.
class ComputingReferee final : public test::FakeReferee {
 public:
  ComputingReferee() : FakeReferee("GPU-1") {}

  bool opens = true;
  std::vector<float> factors{};            ///< of the first calls; 2 in later ones
  std::vector<std::vector<float>> inputs;  ///< x of each call

  void load_arena(std::size_t bytes, std::size_t output_bytes) override {
    memory_.resize(bytes / sizeof(float));
    elements_ = output_bytes / sizeof(float);
  }
  void set(std::size_t at, std::span<const std::byte> values) override {
    std::memcpy(memory_.data() + at / sizeof(float), values.data(), values.size());
  }
  bool attach(const SharedDeviceTensor&, const SharedDeviceTensor&) override { return opens; }
  void read_output(std::span<std::byte> to) override {
    const auto x = std::span(memory_).subspan(elements_, elements_);
    const float factor = inputs.size() < factors.size() ? factors[inputs.size()] : 2;
    inputs.emplace_back(x.begin(), x.end());
    auto* const y = reinterpret_cast<float*>(to.data());
    std::ranges::transform(x, y, [&](float one) { return factor * one; });
  }

 private:
  std::vector<float> memory_;
  std::size_t elements_ = 0;
};

class PreparedRun : public test::SessionFixture {
 protected:
  void SetUp() override {
    SessionFixture::SetUp();
    if (IsSkipped()) return;
    policy.wall = std::chrono::seconds(60);
    take(OPGRADE_SHARING_SUBMISSION);
    launch("submission.so", {true, true});
    std::ranges::fill(tensors.input(0).as<float>(), 3.0F);
    tensors.input(1).as<float>().front() = 2;
    problem.begin(tensors.values());
    options.plan.calls = 2;
  }

  LayerResult run() {
    return run_prepared({*session, tensors, problem, options, [&] { ++used; }}, referee);
  }

  OfTheHost problem{ConvShape{.B = 2, .M = 1, .C = 1, .H = 5, .W = 7, .K = 1}};
  CallTensors tensors = tensors_of(problem);
  ComputingReferee referee;
  RunOptions options;
  int used = 0;
};

TEST_F(PreparedRun, EachTimedCallHasAFreshInput) {
  const LayerResult report = run();
  ASSERT_TRUE(report) << static_cast<int>(report.error());
  EXPECT_TRUE(report->timed);
  EXPECT_EQ(report->op_time.samples_ms.size(), 2U);
  EXPECT_EQ(used, 1);
  ASSERT_EQ(referee.inputs.size(), 4U) << "a warm-up, two that count, the known input";
  EXPECT_NE(referee.inputs[0], referee.inputs[1]);
  EXPECT_NE(referee.inputs[1], referee.inputs[2]);
  EXPECT_EQ(referee.inputs[2], referee.inputs[3]);
}

TEST_F(PreparedRun, AWrongOutputHasNoTimesAndIsNotUsed) {
  referee.factors = {2, 2.5};
  const LayerResult report = run();
  ASSERT_TRUE(report) << static_cast<int>(report.error());
  EXPECT_FALSE(report->check.passed());
  EXPECT_FALSE(report->timed);
  EXPECT_TRUE(report->op_time.samples_ms.empty());
  EXPECT_EQ(used, 0);
}

TEST_F(PreparedRun, MemoryThatCannotBeOpenedIsNotTimed) {
  referee.opens = false;
  const LayerResult report = run();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error(), notes::NotOnDevice::buffers_not_opened);
  EXPECT_TRUE(referee.inputs.empty());
  EXPECT_EQ(used, 0);
}

}  // namespace
}  // namespace opgrade
