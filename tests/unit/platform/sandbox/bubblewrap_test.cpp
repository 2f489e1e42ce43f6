#include "grader/platform/sandbox/bubblewrap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

// Whole and in order: later mounts cover earlier ones, so the order is part of the promise.
TEST(Bubblewrap, ArgumentsOfAPolicy) {
  SandboxPolicy policy;
  policy.mounts = {{"/usr", "/usr"},
                   {"/build/out", "/out", Mount::Access::write},
                   {"/dev/nvidia0", "/dev/nvidia0", Mount::Access::device}};
  policy.environment = {"PATH=/usr/bin", "EMPTY=", "TWICE=a=b"};
  policy.working_folder = "/out";
  policy.file_bytes = 1 << 20;
  EXPECT_THAT(
      bubblewrap_arguments(policy, 9),
      testing::ElementsAre(
          "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
          "--unshare-cgroup-try", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox",
          "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv", "--proc",
          "/proc", "--dev", "/dev", "--size", "1048576", "--tmpfs", "/tmp", "--size", "1048576",
          "--tmpfs", "/dev/shm", "--ro-bind", "/usr", "/usr", "--bind", "/build/out", "/out",
          "--dev-bind", "/dev/nvidia0", "/dev/nvidia0", "--setenv", "PATH", "/usr/bin", "--setenv",
          "EMPTY", "", "--setenv", "TWICE", "a=b", "--chdir", "/out", "--seccomp", "9",
          "--remount-ro", "/dev", "--remount-ro", "/"));
}

}  // namespace
}  // namespace opgrade
