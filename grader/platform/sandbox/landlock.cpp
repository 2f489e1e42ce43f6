#include "grader/platform/sandbox/landlock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "grader/base/core/error.hpp"

namespace opgrade {
namespace {

// The kernel's interface as of version 7. Declared here because <linux/landlock.h> of Debian 12
// knows only the first two versions.
struct RulesetAttributes {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};
struct [[gnu::packed]] PathAttributes {
  std::uint64_t allowed;
  std::int32_t parent;
};
constexpr std::uint64_t kExecute = 1U << 0;
constexpr std::uint64_t kWriteFile = 1U << 1;
constexpr std::uint64_t kReadFile = 1U << 2;
constexpr std::uint64_t kReadFolder = 1U << 3;
constexpr std::uint64_t kMakeCharDevice = 1U << 6;
constexpr std::uint64_t kMakeBlockDevice = 1U << 11;
constexpr std::uint64_t kTruncate = 1U << 14;
constexpr std::uint64_t kDeviceIoctl = 1U << 15;
constexpr std::uint64_t kForFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceIoctl;
constexpr std::uint64_t kNetworkTcp = 3;  // bind, connect
constexpr std::uint64_t kScopes = 3;      // abstract sockets, signals
constexpr int kPathRule = 1;

std::uint64_t known_file_rights(int version) {
  constexpr std::uint64_t kVersion1 = (1U << 13) - 1;
  return version >= 5   ? kVersion1 | 7U << 13
         : version >= 3 ? kVersion1 | 3U << 13
         : version == 2 ? kVersion1 | 1U << 13
                        : kVersion1;
}

/// Returns 0 or errno. Async-signal-safe.
int allow(int rules, const char* path, std::uint64_t rights, std::uint64_t known) noexcept {
  const int fd = ::open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return errno;
  struct stat status {};
  if (::fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode)) rights &= kForFiles;
  const PathAttributes rule{rights & known, fd};
  const int failed = ::syscall(SYS_landlock_add_rule, rules, kPathRule, &rule, 0) == 0 ? 0 : errno;
  ::close(fd);
  return failed;
}

}  // namespace

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1U);
  return version > 0 ? static_cast<int>(version) : 0;
}

Fd landlock_rules(const SandboxPolicy& policy, const std::filesystem::path& scratch) {
  const int version = landlock_version();
  const std::uint64_t known = known_file_rights(version);
  const RulesetAttributes all{known, version >= 4 ? kNetworkTcp : 0,
                              version >= kLandlockScopes ? kScopes : 0};
  // A kernel that knows fewer fields accepts the longer struct as long as the rest is zero.
  Fd rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0)));
  if (!rules) {
    throw Error(fmt::format("cannot make Landlock rules: {}", std::strerror(errno)),
                "run `opgrade doctor`");
  }
  const auto add = [&](const std::filesystem::path& path, std::uint64_t rights) {
    if (const int failed = allow(rules.get(), path.c_str(), rights, known); failed != 0) {
      throw Error(
          fmt::format("cannot let the sandbox see {}: {}", path.string(), std::strerror(failed)),
          "run `opgrade doctor`");
    }
  };
  constexpr std::uint64_t kRead = kReadFile | kReadFolder;
  const std::uint64_t write =
      known & ~(kExecute | kMakeCharDevice | kMakeBlockDevice | kDeviceIoctl);
  for (const Mount& mount : policy.mounts) {
    add(mount.host, mount.access == Mount::Access::read    ? kRead | kExecute
                    : mount.access == Mount::Access::write ? write
                                                           : kRead | kWriteFile | kDeviceIoctl);
  }
  add(scratch, write);
  if (has_devices(policy)) {
    // libcuda reads these files when it starts, and reports a refusal as an error of the system
    // (304). With namespaces the sandbox's own /proc has those that are in /proc.
    for (const char* file :
         {"/proc/driver/nvidia", "/proc/driver/nvidia-uvm", "/proc/devices", "/proc/modules",
          "/proc/cpuinfo", "/proc/meminfo", "/proc/sys/vm/mmap_min_addr",
          "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu", "/sys/devices/system/node",
          "/sys/devices/system/memory/block_size_bytes"}) {
      if (std::filesystem::exists(file)) add(file, kRead);
    }
  }
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"})
    add(device, kReadFile | kWriteFile);
  return rules;
}

int confine_self(int rules, const std::vector<sock_filter>& filter) noexcept {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  // The process's own /proc folder is known only here. libcuda names its threads by
  // fopen(".../comm", "w"), which truncates the file, and does not start if that is refused. The
  // other entries are the process's own, too.
  constexpr std::uint64_t kOwnFolder = kReadFile | kReadFolder | kWriteFile | kTruncate;
  const std::uint64_t known = known_file_rights(landlock_version());
  if (const int failed = allow(rules, "/proc/self", kOwnFolder, known); failed != 0) return failed;
  if (::syscall(SYS_landlock_restrict_self, rules, 0) != 0) return errno;
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           const_cast<sock_filter*>(filter.data())};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) return errno;
  return 0;
}

}  // namespace opgrade
