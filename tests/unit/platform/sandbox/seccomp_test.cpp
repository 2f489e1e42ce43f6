#include "grader/platform/sandbox/seccomp.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <seccomp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <string>

namespace opgrade {
namespace {

TEST(Seccomp, IsAProgramThatBubblewrapCanRead) {
  const Fd file = seccomp_filter();
  EXPECT_EQ(::lseek(file.get(), 0, SEEK_CUR), 0);
  struct stat status {};
  ASSERT_EQ(::fstat(file.get(), &status), 0);
  EXPECT_GT(status.st_size, 0);
  EXPECT_EQ(status.st_size % static_cast<off_t>(sizeof(sock_filter)), 0);
}

TEST(Seccomp, DeniedCallsAreSpeltRightAndListedOnce) {
  std::set<std::string_view> seen;
  for (const auto call : denied_calls()) {
    EXPECT_TRUE(seen.insert(call).second) << call;
    EXPECT_NE(seccomp_syscall_resolve_name(std::string(call).c_str()), __NR_SCMP_ERROR) << call;
  }
}

// What a change of the list must not lose.
TEST(Seccomp, DeniesTheWaysOut) {
  std::set<std::string_view> denied(denied_calls().begin(), denied_calls().end());
  for (const char* call :
       {"ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "mount", "umount2",
        "pivot_root", "unshare", "setns", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup",
        "keyctl", "kexec_load", "init_module", "open_by_handle_at", "timer_create", "mq_notify"}) {
    EXPECT_TRUE(denied.contains(call)) << call;
  }
}

}  // namespace
}  // namespace opgrade
