/// A sandbox that shows nothing but the probe, in every tier this machine has.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grader/sandbox/sandbox.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade::test {

inline const SandboxSupport& machine_support() {
  static const SandboxSupport support = SandboxSupport::detect();
  return support;
}

inline SandboxPolicy probe_policy() {
  SandboxPolicy policy;
  policy.mounts = {{OPGRADE_PROBE, "/probe"}};
  policy.wall = std::chrono::seconds(20);
  return policy;
}

inline std::vector<std::string> probe(std::vector<std::string> act) {
  act.insert(act.begin(), "/probe");
  return act;
}

/// Runs each test with the control group and without it.
class SandboxTest : public testing::TestWithParam<SandboxTier> {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS(
        "sandbox", machine_support().tier != SandboxTier::none,
        "no sandbox here: " +
            (machine_support().notes.empty() ? std::string() : machine_support().notes.front()));
    OPGRADE_SKIP_UNLESS("cgroup", machine_support().tier <= GetParam(),
                        "no control group here: " + machine_support().cgroup.why_not);
    SandboxSupport support = machine_support();
    support.tier = GetParam();
    sandbox.emplace(support);
  }

  SandboxReport run(std::vector<std::string> act) const {
    return sandbox->run(policy, probe(std::move(act)));
  }
  std::string output(std::vector<std::string> act) const {
    const SandboxReport report = run(std::move(act));
    return report.process.standard_output + report.process.standard_error;
  }
  bool has_cgroup() const { return GetParam() == SandboxTier::full; }

  SandboxPolicy policy = probe_policy();
  std::optional<Sandbox> sandbox;
};

inline std::string tier_name(const testing::TestParamInfo<SandboxTier>& tier) {
  return tier.param == SandboxTier::full ? "full" : "no_cgroup";
}

#define OPGRADE_IN_EVERY_TIER(suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(Tier, suite,                                                \
                           testing::Values(SandboxTier::full, SandboxTier::no_cgroup), \
                           opgrade::test::tier_name)

}  // namespace opgrade::test
