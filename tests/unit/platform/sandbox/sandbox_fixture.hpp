/// A sandbox that shows nothing but the probe, in every tier this machine has.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "grader/platform/sandbox/sandbox.hpp"
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

/// Keeps this process and what it starts on one core, with others there that only compute. Each is
/// a session of its own, because the kernel may share a core out by sessions.
class CrowdedCore {
 public:
  explicit CrowdedCore(std::size_t others = 3) : others_(others) {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    move_all_threads_to(one);
    const pid_t tests = ::getpid();
    for (pid_t& other : others_) {
      other = ::fork();
      if (other != 0) continue;
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::setsid();
      while (::getppid() == tests) {
      }
      ::_exit(0);
    }
  }
  ~CrowdedCore() {
    for (const pid_t other : others_) {
      ::kill(other, SIGKILL);
      ::waitpid(other, nullptr, 0);
    }
    move_all_threads_to(before_);
  }
  CrowdedCore(const CrowdedCore&) = delete;
  CrowdedCore& operator=(const CrowdedCore&) = delete;

 private:
  /// A thread that was there before starts the children.
  static void move_all_threads_to(const cpu_set_t& cores) {
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
      ::sched_setaffinity(std::stoi(task.path().filename()), sizeof cores, &cores);
  }

  cpu_set_t before_{};
  std::vector<pid_t> others_;
};

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
