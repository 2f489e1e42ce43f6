/// A sandboxed session with a built submission, for tests of what drives one. Their targets define
/// OPGRADE_HARNESS.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/run/runtime_view.hpp"
#include "grader/grading/run/session.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade::test {

class SessionFixture : public testing::Test {
 protected:
  void SetUp() override {
    const auto support = SandboxSupport::detect();
    OPGRADE_SKIP_UNLESS("sandbox", support.tier != SandboxTier::none, support.notes.front());
    sandbox.emplace(support);
    std::filesystem::copy_file(OPGRADE_HARNESS, folder.path() / "harness");
    sandbox->hand_over(folder.path());
    add_runtime_view(policy, Device::cpu);
    policy.wall = std::chrono::seconds(10);
  }

  /// Puts what was built where the sandbox's user may read it.
  void take(const char* built) {
    std::filesystem::copy_file(built, folder.path() / "submission.so");
    sandbox->hand_over(folder.path());
  }

  void launch(const std::string& name = "submission.so", InterfaceSteps steps = {false, false}) {
    session.emplace(*sandbox, policy, steps, folder.path() / "harness", folder.path() / name);
  }

  TempDir folder{"opgrade-test-"};
  SandboxPolicy policy;
  std::optional<Sandbox> sandbox;
  std::optional<Session> session;
};

}  // namespace opgrade::test
