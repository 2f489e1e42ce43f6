#include "grader/platform/sandbox/bubblewrap.hpp"

namespace opgrade {

std::vector<std::string> bubblewrap_arguments(const SandboxPolicy& policy, int seccomp_fd) {
  std::vector<std::string> arguments{
      "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
      "--unshare-cgroup-try", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox",
      // --die-with-parent ends the tree with the grader, --new-session keeps the terminal away.
      "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv", "--proc", "/proc",
      "--dev", "/dev", "--size", std::to_string(policy.file_bytes), "--tmpfs", "/tmp", "--size",
      std::to_string(policy.file_bytes), "--tmpfs", "/dev/shm"};
  for (const Mount& mount : policy.mounts) {
    const char* const kind = mount.access == Mount::Access::read    ? "--ro-bind"
                             : mount.access == Mount::Access::write ? "--bind"
                                                                    : "--dev-bind";
    arguments.insert(arguments.end(), {kind, mount.host.string(), mount.inside.string()});
  }
  for (const std::string& variable : policy.environment) {
    const auto equals = variable.find('=');
    arguments.insert(arguments.end(),
                     {"--setenv", variable.substr(0, equals), variable.substr(equals + 1)});
  }
  arguments.insert(arguments.end(), {"--chdir", policy.working_folder.string()});
  arguments.insert(arguments.end(), {"--seccomp", std::to_string(seccomp_fd)});
  // bubblewrap leaves the root and /dev as writable tmpfs; only /tmp and /dev/shm should be
  // writable.
  arguments.insert(arguments.end(), {"--remount-ro", "/dev", "--remount-ro", "/"});
  return arguments;
}

}  // namespace opgrade
