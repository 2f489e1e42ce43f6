#include "grader/sandbox/seccomp.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "grader/core/error.hpp"

namespace opgrade {
namespace {

#ifndef TIOCLINUX
constexpr unsigned TIOCLINUX = 0x541C;
#endif

void check(int result, std::string_view what) {
  if (result < 0) {
    throw Error(
        fmt::format("cannot build the seccomp filter ({}): {}", what, std::strerror(-result)),
        "is libseccomp 2.5 or later installed?");
  }
}

}  // namespace

const std::vector<std::string_view>& denied_calls() {
  static const std::vector<std::string_view> calls{
      // other processes
      "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "process_madvise",
      // the kernel's own state
      "kexec_load", "kexec_file_load", "reboot", "init_module", "finit_module", "delete_module",
      "swapon", "swapoff", "acct", "quotactl", "syslog", "settimeofday", "clock_settime",
      "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "iopl", "ioperm", "vhangup",
      // mounts and namespaces
      "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig",
      "fsmount", "fspick", "mount_setattr", "unshare", "setns", "name_to_handle_at",
      "open_by_handle_at",
      // wide kernel interfaces with a record of holes, and side channels between sandboxes
      "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter",
      "io_uring_register", "add_key", "request_key", "keyctl", "fanotify_init", "lookup_dcookie",
      "vmsplice", "personality", "seccomp",
      // memory placement, which would outlive the run or disturb the machine
      "move_pages", "migrate_pages"};
  return calls;
}

Fd seccomp_filter() {
  const std::unique_ptr<void, decltype(&seccomp_release)> owner(seccomp_init(SCMP_ACT_ALLOW),
                                                                &seccomp_release);
  const scmp_filter_ctx filter = owner.get();
  if (filter == nullptr) throw Error("cannot build the seccomp filter", "out of memory?");

  for (const auto call : denied_calls()) {
    const int number = seccomp_syscall_resolve_name(std::string(call).c_str());
    if (number == __NR_SCMP_ERROR) continue;  // not a call of this processor
    check(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0), call);
  }
  check(seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0), "clone3");
  constexpr std::uint64_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID |
                                           CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                                           CLONE_NEWCGROUP;
  // One rule a flag: a masked comparison matches one exact value only.
  for (std::uint64_t flag = 1; flag != 0 && flag <= kNewNamespaces; flag <<= 1) {
    if ((kNewNamespaces & flag) == 0) continue;
    check(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                           SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)),
          "clone");
  }
  for (const std::uint64_t request : {std::uint64_t{TIOCSTI}, std::uint64_t{TIOCLINUX}}) {
    // The kernel looks at the low 32 bits only (CVE-2019-10063 of another sandbox).
    check(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                           SCMP_A1(SCMP_CMP_MASKED_EQ, 0xFFFFFFFFU, request)),
          "ioctl");
  }
  check(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
                         SCMP_A0(SCMP_CMP_NE, AF_UNIX)),
        "socket");

  Fd file(::memfd_create("opgrade-seccomp", MFD_CLOEXEC));
  if (!file)
    throw Error(fmt::format("memfd_create: {}", std::strerror(errno)),
                "Linux 3.17 or later is needed");
  check(seccomp_export_bpf(filter, file.get()), "export");
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

}  // namespace opgrade
