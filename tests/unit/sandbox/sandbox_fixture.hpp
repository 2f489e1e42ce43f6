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

/// What the machine offers when everything that would make a better tier is forbidden.
inline const SandboxSupport& support_for(SandboxTier tier) {
  static const SandboxSupport no_cgroup = SandboxSupport::detect_without({"cgroup"});
  static const SandboxSupport no_userns = SandboxSupport::detect_without({"userns"});
  return tier == SandboxTier::full        ? machine_support()
         : tier == SandboxTier::no_cgroup ? no_cgroup
                                          : no_userns;
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

/// Runs each test in each tier.
class SandboxTest : public testing::TestWithParam<SandboxTier> {
 protected:
  void SetUp() override {
    const SandboxSupport& support = support_for(GetParam());
    const std::string why = support.notes.empty() ? support.cgroup.why_not : support.notes.front();
    OPGRADE_SKIP_UNLESS(GetParam() == SandboxTier::full        ? "cgroup"
                        : GetParam() == SandboxTier::no_cgroup ? "sandbox"
                                                               : "landlock",
                        support.tier == GetParam(), "no such tier here: " + why);
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
  bool has_namespaces() const { return GetParam() != SandboxTier::no_userns; }

  SandboxPolicy policy = probe_policy();
  std::optional<Sandbox> sandbox;
};

inline std::string tier_name(const testing::TestParamInfo<SandboxTier>& tier) {
  return tier.param == SandboxTier::full        ? "full"
         : tier.param == SandboxTier::no_cgroup ? "no_cgroup"
                                                : "no_userns";
}

#define OPGRADE_IN_EVERY_TIER(suite)                                                      \
  INSTANTIATE_TEST_SUITE_P(                                                               \
      Tier, suite,                                                                        \
      testing::Values(SandboxTier::full, SandboxTier::no_cgroup, SandboxTier::no_userns), \
      opgrade::test::tier_name)

}  // namespace opgrade::test
