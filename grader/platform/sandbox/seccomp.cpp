#include "grader/platform/sandbox/seccomp.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <memory>

#include "grader/base/core/error.hpp"

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
      // lowering one's priority, which would extend the limit of wall time; see OutsideWaits
      "setpriority", "sched_setscheduler", "sched_setparam", "sched_setattr",
      // memory placement, which would outlast the run or disturb the machine
      "move_pages", "migrate_pages",
      // make the kernel send signals to a stopped process; see deny_waking
      "timer_create", "mq_notify"};
  return calls;
}

const std::vector<std::string_view>& denied_on_shared_host() {
  static const std::vector<std::string_view> calls{
      // sockets: the host's network and its services; the grader's channel is open already
      "connect", "accept", "accept4",
      // System V and POSIX objects of the whole host
      "shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd",
      "msgrcv", "msgctl", "mq_open", "mq_unlink",
      // changes by path for which Landlock has no right, at all or in its first versions
      "truncate", "chmod", "fchmodat", "chown", "lchown", "fchownat", "utime", "utimes",
      "futimesat", "utimensat", "setxattr", "lsetxattr", "removexattr", "lremovexattr",
      // watches what others do with files
      "inotify_add_watch",
      // the process group must hold all processes, because it ends a run
      "setsid", "setpgid"};
  return calls;
}

const std::vector<std::string_view>& denied_without_cuda() {
  static const std::vector<std::string_view> calls{"socket", "bind", "listen"};
  return calls;
}

namespace {

/// libseccomp's filter under construction.
class Filter {
 public:
  Filter() : owner_(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release) {
    if (owner_ == nullptr) throw Error("cannot build the seccomp filter", "out of memory?");
  }
  scmp_filter_ctx get() const { return owner_.get(); }

  void deny(std::string_view call, std::initializer_list<scmp_arg_cmp> when = {}) const {
    const int number = seccomp_syscall_resolve_name(std::string(call).c_str());
    if (number != __NR_SCMP_ERROR) deny(number, when);  // else this processor has no such call
  }
  void deny(int call, std::initializer_list<scmp_arg_cmp> when = {},
            std::uint32_t action = SCMP_ACT_ERRNO(EPERM)) const {
    check(seccomp_rule_add_array(get(), action, call, static_cast<unsigned>(when.size()),
                                 when.begin()),
          fmt::format("call {}", call));
  }

 private:
  std::unique_ptr<void, decltype(&seccomp_release)> owner_;
};

/// Between calls a submission is stopped by SIGSTOP, and only the grader may continue it.
/// timer_create and mq_notify, which pass the signal's number in memory, are in denied_calls() for
/// the same reason.
void deny_waking(const Filter& filter) {
  // The kernel reads only the low 32 bits of an int.
  const auto is = [](unsigned argument, std::uint64_t value, std::uint64_t bits = 0xFFFFFFFFU) {
    return scmp_arg_cmp{argument, SCMP_CMP_MASKED_EQ, bits, value};
  };
  for (const int call :
       {SCMP_SYS(kill), SCMP_SYS(tkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(pidfd_send_signal)}) {
    filter.deny(call, {is(1, SIGCONT)});
  }
  for (const int call : {SCMP_SYS(tgkill), SCMP_SYS(rt_tgsigqueueinfo)})
    filter.deny(call, {is(2, SIGCONT)});
  filter.deny(SCMP_SYS(fcntl), {is(1, F_SETSIG), is(2, SIGCONT)});
  filter.deny(SCMP_SYS(prctl), {is(0, PR_SET_PDEATHSIG), is(1, SIGCONT)});
  filter.deny(SCMP_SYS(clone), {is(0, SIGCONT, CSIGNAL)});
}

Filter base_filter(bool loopback, bool pinned) {
  Filter filter;
  for (const auto call : denied_calls()) filter.deny(call);
  filter.deny(SCMP_SYS(clone3), {}, SCMP_ACT_ERRNO(ENOSYS));
  constexpr std::uint64_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID |
                                           CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                                           CLONE_NEWCGROUP;
  // One rule per flag, because a masked comparison matches only one exact value.
  for (std::uint64_t flag = 1; flag != 0 && flag <= kNewNamespaces; flag <<= 1)
    if ((kNewNamespaces & flag) != 0)
      filter.deny(SCMP_SYS(clone), {SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)});
  // The kernel reads only the low 32 bits (CVE-2019-10063 of another sandbox).
  for (const std::uint64_t request : {std::uint64_t{TIOCSTI}, std::uint64_t{TIOCLINUX}})
    filter.deny(SCMP_SYS(ioctl), {SCMP_A1(SCMP_CMP_MASKED_EQ, 0xFFFFFFFFU, request)});
  // Rules on one argument cannot allow two values, so the families above the two and the unused one
  // below are denied.
  constexpr std::uint32_t kRefuse = SCMP_ACT_ERRNO(EAFNOSUPPORT);
  if (loopback) {
    filter.deny(SCMP_SYS(socket), {SCMP_A0(SCMP_CMP_GT, AF_INET)}, kRefuse);
    filter.deny(SCMP_SYS(socket), {SCMP_A0(SCMP_CMP_EQ, AF_UNSPEC)}, kRefuse);
  } else {
    filter.deny(SCMP_SYS(socket), {SCMP_A0(SCMP_CMP_NE, AF_UNIX)}, kRefuse);
  }
  deny_waking(filter);
  constexpr std::uint32_t kSucceed = SCMP_ACT_ERRNO(0);
  if (pinned) filter.deny(SCMP_SYS(sched_setaffinity), {}, kSucceed);
  return filter;
}

Fd exported(const Filter& filter) {
  Fd file(::memfd_create("opgrade-seccomp", MFD_CLOEXEC));
  if (!file)
    throw Error(fmt::format("memfd_create: {}", std::strerror(errno)),
                "Linux 3.17 or later is needed");
  check(seccomp_export_bpf(filter.get(), file.get()), "export");
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

}  // namespace

Fd seccomp_filter(bool loopback, bool pinned) { return exported(base_filter(loopback, pinned)); }

std::vector<sock_filter> shared_host_filter(bool signals, bool cuda, bool pinned) {
  const Filter filter = base_filter(false, pinned);
  for (const auto call : denied_on_shared_host()) filter.deny(call);
  if (!cuda) {
    for (const auto call : denied_without_cuda()) filter.deny(call);
  }
  // A datagram reaches a service of the host without connect(), even from a socket of a pair. But
  // libcuda binds a SOCK_SEQPACKET socket to "@cuda-uvmfd-..." and does not start without it.
  constexpr std::uint64_t kTypeBits = 0xF;
  for (const std::uint64_t type : {SOCK_DGRAM, SOCK_RAW, SOCK_RDM, SOCK_PACKET}) {
    for (const char* call : {"socket", "socketpair"})
      if (cuda || call != std::string_view("socket"))
        filter.deny(call, {SCMP_A1(SCMP_CMP_MASKED_EQ, kTypeBits, type)});
  }
  if (cuda) filter.deny("socket", {SCMP_A1(SCMP_CMP_MASKED_EQ, kTypeBits, SOCK_STREAM)});
  // fchmodat2, setxattrat, removexattrat, file_setattr: libseccomp 2.5 does not know their names,
  // but their numbers are the same on every processor.
  for (const int number : {452, 463, 466, 469}) filter.deny(number);
  // 0 means the caller itself.
  for (const char* call : {"prlimit64", "sched_setscheduler", "sched_setparam", "sched_setattr"})
    filter.deny(call, {SCMP_A0_32(SCMP_CMP_NE, 0)});
  if (!pinned) filter.deny("sched_setaffinity", {SCMP_A0_32(SCMP_CMP_NE, 0)});
  for (const char* call : {"setpriority", "ioprio_set"})
    filter.deny(call, {SCMP_A1_32(SCMP_CMP_NE, 0)});
  // Keeps PR_SET_PDEATHSIG, by which a killed grader takes its child along.
  filter.deny("prctl", {SCMP_A0(SCMP_CMP_MASKED_EQ, 0xFFFFFFFFU, PR_SET_PDEATHSIG)});
  if (signals) {
    // tgkill stays allowed, because abort() needs it.
    for (const char* call :
         {"kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal"})
      filter.deny(call);
  }
  const Fd file = exported(filter);
  struct stat status {};
  ::fstat(file.get(), &status);
  std::vector<sock_filter> program(static_cast<std::size_t>(status.st_size) / sizeof(sock_filter));
  if (::read(file.get(), program.data(), program.size() * sizeof(sock_filter)) !=
      static_cast<ssize_t>(status.st_size)) {
    throw Error("cannot read the seccomp filter back", "out of memory?");
  }
  return program;
}

}  // namespace opgrade
