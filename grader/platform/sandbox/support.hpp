/// The isolation that this machine offers.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grader/platform/sandbox/cgroup.hpp"

namespace opgrade {

/// How much isolation there is, best first; doctor, reports and configs use the same words.
enum class SandboxTier {
  full,       ///< namespaces, seccomp, control group
  no_cgroup,  ///< namespaces and seccomp; memory and processes are limited per process only
  no_userns,  ///< as in an unprivileged container: Landlock, seccomp, limits, a process group
  none,       ///< no isolation: refused unless the operator says --unsafe
};

std::string_view name_of(SandboxTier tier);

/// This machine's abilities, detected by trial. `notes` say what is missing and how to get it.
struct SandboxSupport {
  SandboxTier tier = SandboxTier::none;
  std::filesystem::path bubblewrap;
  CgroupSupport cgroup;
  int landlock = 0;  ///< version of its interface; 0 without Landlock
  /// Started as root, and all that it needs works as an unprivileged user.
  bool drop_to_nobody = false;
  /// Linux 5.14 and later count a user's processes separately in each user namespace.
  bool counts_in_namespace = false;
  /// The number of parallel runs. If processes are limited per user, one run's share must not be
  /// used up by the others.
  /// not be used up by the others.
  int parallel_runs = 1;
  std::vector<std::string> notes;

  /// The best tier that works here. The environment variable OPGRADE_SANDBOX_WITHOUT, a list of
  /// cgroup, userns and landlock, disables what it names, so that lower tiers can be tried
  /// anywhere.
  static SandboxSupport detect();

  /// Like detect(), without what `forbidden` names.
  static SandboxSupport detect_without(const std::set<std::string>& forbidden);
};

}  // namespace opgrade
