// One convolution of a case, with a submission that works ahead.
#include "grader/app/conv_run.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <random>

#include "grader/core/temp_dir.hpp"
#include "grader/run/runtime_view.hpp"
#include "tests/support/must_run.hpp"
#include "tests/unit/app/peeking.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

TEST(ConvRun, TheInputOfATimedFirstCallIsNotThereBeforeIt) {
  const auto support = SandboxSupport::detect();
  OPGRADE_SKIP_UNLESS("sandbox", support.tier != SandboxTier::none, support.notes.front());
  const Sandbox sandbox(support);
  const TempDir folder("opgrade-test-");
  fs::copy_file(OPGRADE_HARNESS, folder.path() / "harness");
  fs::copy_file(OPGRADE_SUBMISSION, folder.path() / "submission.so");
  sandbox.hand_over(folder.path());
  SandboxPolicy policy;
  add_runtime_view(policy, Device::cpu);
  policy.wall = std::chrono::seconds(60);
  Session session(sandbox, policy, {false, false}, folder.path() / "harness",
                  folder.path() / "submission.so");

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
      run_conv(session, tensors, FastConv<double>(shape, k.data()), options, random, [] {});
  EXPECT_EQ(report.check.checked, test::kElements) << "the call must have come to its end";
  EXPECT_GT(report.check.mismatches, 0) << "it answered with what it had seen before the call";
}

}  // namespace
}  // namespace opgrade
