#include "grader/platform/sandbox/support.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/platform/sandbox/landlock.hpp"
#include "grader/platform/sandbox/sandbox.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// The path in OPGRADE_BWRAP, else the first on PATH, else in the usual folders, else the one that
/// came with opgrade. The machine's own is preferred, because it may be set-user-ID or have an
/// AppArmor profile. If there is none, a note says so.
std::optional<fs::path> find_bubblewrap(std::vector<std::string>& notes) {
  const auto runs = [](const fs::path& program) {
    std::error_code closed;  // set if this user may not enter a folder on PATH
    return fs::is_regular_file(program, closed) && ::access(program.c_str(), X_OK) == 0;
  };
  if (const char* named = std::getenv("OPGRADE_BWRAP"); named != nullptr && *named != '\0') {
    if (runs(named)) return fs::absolute(named);
    notes.push_back(fmt::format("OPGRADE_BWRAP names {}, which cannot be run", named));
    return std::nullopt;
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(fmt::format("{}:/usr/bin:/bin:/usr/local/bin", path ? path : ""));
  for (std::string folder; std::getline(folders, folder, ':');) {
    // A relative folder depends on the calling user's working folder, so it is skipped.
    if (folder.starts_with('/') && runs(fs::path(folder) / "bwrap"))
      return fs::path(folder) / "bwrap";
  }
  if (const fs::path own = resources::program_folder() / "../libexec/opgrade/bwrap"; runs(own))
    return fs::canonical(own);
  notes.push_back(
      "bubblewrap is not installed: apt-get install bubblewrap, or name its program in "
      "OPGRADE_BWRAP");
  return std::nullopt;
}

SandboxPolicy trial_policy() {
  SandboxPolicy policy;
  for (const char* folder : {"/usr", "/lib", "/lib64", "/bin"})
    policy.mounts.push_back({folder, folder, Mount::Access::read, true});
  return policy;
}

/// Tests that /bin/true runs in the sandbox that `trial` describes; if not, a note says why.
bool works(const SandboxSupport& trial, const std::string& what, std::vector<std::string>& notes) {
  std::string why;
  try {
    const auto report = Sandbox(trial).run(trial_policy(), {"/bin/true"});
    if (report.process.succeeded()) return true;
    why = report.process.standard_error;
    why.erase(why.find_last_not_of('\n') + 1);
  } catch (const Error& e) {
    why = e.what();  // in a user namespace, even root may be unable to become another user
  }
  notes.push_back(fmt::format("{} not work here{}: {}", what,
                              trial.drop_to_nobody ? " as an unprivileged user" : "", why));
  return false;
}

/// Since Linux 5.14 a user's processes are counted in each user namespace.
bool kernel_counts_in_namespaces() {
  utsname kernel{};
  int major = 0, minor = 0;
  return ::uname(&kernel) == 0 && std::sscanf(kernel.release, "%d.%d", &major, &minor) == 2 &&
         std::pair(major, minor) >= std::pair(5, 14);
}

/// Tests the limit, because the kernel exempts the machine's root from RLIMIT_NPROC, in a user
/// namespace too.
bool limits_processes(const SandboxSupport& support) {
  SandboxPolicy policy = trial_policy();
  policy.processes = 4;
  const auto report = Sandbox(support).run(
      policy, {"/bin/sh", "-c", "i=0; while [ $i -lt 20 ]; do sleep 9 & i=$((i + 1)); done"});
  return !report.process.succeeded();  // the shell fails if a fork is refused
}

bool try_namespaces(SandboxSupport& support, bool forbidden) {
  if (forbidden) {
    support.notes.push_back("user namespaces are forbidden by OPGRADE_SANDBOX_WITHOUT");
    return false;
  }
  const auto program = find_bubblewrap(support.notes);
  if (!program) return false;
  support.bubblewrap = *program;
  SandboxSupport trial = support;
  trial.tier = SandboxTier::no_cgroup;
  for (const bool as_nobody : {true, false}) {
    if (as_nobody && ::geteuid() != 0) continue;
    trial.drop_to_nobody = as_nobody;
    trial.counts_in_namespace = kernel_counts_in_namespaces();
    std::vector<std::string> notes;
    bool good = works(trial, "bubblewrap does", notes);
    if (!good && std::exchange(trial.counts_in_namespace, false))
      good = works(trial, "bubblewrap does", notes = {});
    support.notes.insert(support.notes.end(), notes.begin(), notes.end());
    if (!good) continue;
    support.drop_to_nobody = as_nobody;
    support.counts_in_namespace = trial.counts_in_namespace;
    return true;
  }
  return false;
}

bool try_landlock(SandboxSupport& support, bool forbidden) {
  if (forbidden) {
    support.notes.push_back("Landlock is forbidden by OPGRADE_SANDBOX_WITHOUT");
    return false;
  }
  support.landlock = landlock_version();
  if (support.landlock == 0) {
    support.notes.push_back("this kernel has no Landlock (Linux 5.13, enabled at boot)");
    return false;
  }
  SandboxSupport trial = support;
  trial.tier = SandboxTier::no_userns;
  // Never runs as root, which neither file permissions nor the limit on processes would hold.
  trial.drop_to_nobody = ::geteuid() == 0;
  if (!works(trial, "Landlock and seccomp do", support.notes)) return false;
  support.drop_to_nobody = trial.drop_to_nobody;
  return true;
}

}  // namespace

std::string_view name_of(SandboxTier tier) {
  constexpr std::array<std::string_view, 4> kNames{"full", "no cgroup", "no user namespaces",
                                                   "none"};
  return kNames.at(static_cast<std::size_t>(tier));
}

SandboxSupport SandboxSupport::detect() {
  std::set<std::string> forbidden;
  if (const char* list = std::getenv("OPGRADE_SANDBOX_WITHOUT"); list != nullptr) {
    std::istringstream items(list);
    for (std::string item; std::getline(items, item, ',');) {
      if (item != "cgroup" && item != "userns" && item != "landlock") {
        throw Error(fmt::format("OPGRADE_SANDBOX_WITHOUT names '{}'", item),
                    "it is a list of cgroup, userns and landlock");
      }
      forbidden.insert(item);
    }
  }
  return detect_without(forbidden);
}

SandboxSupport SandboxSupport::detect_without(const std::set<std::string>& forbidden) {
  SandboxSupport support;
  if (try_namespaces(support, forbidden.contains("userns"))) {
    support.cgroup = forbidden.contains("cgroup")
                         ? CgroupSupport{.why_not = "forbidden by OPGRADE_SANDBOX_WITHOUT"}
                         : CgroupSupport::detect();
    if (support.cgroup.kind != CgroupSupport::Kind::none) {
      support.tier = SandboxTier::full;
    } else {
      support.tier = SandboxTier::no_cgroup;
      support.notes.push_back("no control group (" + support.cgroup.why_not +
                              "): memory and processes are limited per process only");
      // Only then the sandbox runs as the caller.
      if (::geteuid() == 0 && !support.drop_to_nobody && !limits_processes(support)) {
        support.notes.push_back(
            "the number of processes is not limited, because the sandbox runs as root: a fork bomb "
            "goes on to the wall limit; let bubblewrap work as an unprivileged user, or grade with "
            "control groups");
      }
    }
  } else if (try_landlock(support, forbidden.contains("landlock"))) {
    support.tier = SandboxTier::no_userns;
    support.notes.push_back(
        "no namespaces: a submission can learn which files exist, memory is limited per process "
        "only, temporary files are limited one by one; see docs/security.md");
    if (support.landlock < kLandlockScopes) {
      support.notes.push_back("Landlock before Linux 6.12 does not stop signals: kill() is denied");
    }
  }
  return support;
}

}  // namespace opgrade
