/// The isolation that this machine offers.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grader/platform/sandbox/cgroup.hpp"

namespace opgrade {

/// How much of the isolation there is, best first; the same words in doctor, reports and configs.
enum class SandboxTier {
  full,       ///< namespaces, seccomp, control group
  no_cgroup,  ///< namespaces and seccomp; memory and processes are limited per process only
  no_userns,  ///< as in an unprivileged container: Landlock, seccomp, limits, a process group
  none,       ///< no isolation: refused unless the operator says --unsafe
};

std::string_view name_of(SandboxTier tier);

/// This machine's abilities, found by trying. `notes` says what is missing and how to get it.
struct SandboxSupport {
  SandboxTier tier = SandboxTier::none;
  std::filesystem::path bubblewrap;
  CgroupSupport cgroup;
  int landlock = 0;  ///< version of its interface; 0 without
  bool drop_to_nobody =
      false;  ///< started as root, and what it needs works as an unprivileged user
  /// Linux 5.14 and later count a user's processes in each user namespace by itself.
  bool counts_in_namespace = false;
  /// Runs side by side. Where processes are limited by counting their user's, one run's share must
  /// not be used up by the others.
  int parallel_runs = 1;
  std::vector<std::string> notes;

  /// The best tier that works here. The environment variable OPGRADE_SANDBOX_WITHOUT, a list of
  /// cgroup, userns and landlock, forbids what it names, so that lower tiers can be tried anywhere.
  static SandboxSupport detect();

  /// The same without what `forbidden` names.
  static SandboxSupport detect_without(const std::set<std::string>& forbidden);
};

}  // namespace opgrade
