// Acts of the probe: what a submission might try to reach or become.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/probe.hpp"

/// The connections a submission might try; the argument names an abstract socket outside.
int network(const Arguments& a) {
  for (const auto& [name, family] : {std::pair{"inet", AF_INET},
                                     {"inet6", AF_INET6},
                                     {"netlink", AF_NETLINK},
                                     {"packet", AF_PACKET},
                                     {"vsock", AF_VSOCK}}) {
    show(name, ::socket(family, SOCK_DGRAM, 0));
  }
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  show("unix", fd);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  a.at(0).copy(address.sun_path + 1, sizeof address.sun_path - 1);
  show("abstract",
       ::connect(fd, reinterpret_cast<const sockaddr*>(&address),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + a[0].size())));
  return 0;
}

/// Every given system call with arguments of zero.
int calls(const Arguments& a) {
  for (const auto& number : a)
    show(number.c_str(), ::syscall(std::stol(number), 0L, 0L, 0L, 0L, 0L, 0L));
  return 0;
}

/// Ways to new privileges.
int privileges(const Arguments&) {
  std::printf("uid %d\ngid %d\n", static_cast<int>(::getuid()), static_cast<int>(::getgid()));
  show("setuid", ::setuid(0));
  show("unshare", ::unshare(CLONE_NEWUSER));
  const auto clone_with = [](unsigned long flags) {
    const long pid = ::syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) ::_exit(0);
    return pid;
  };
  for (const auto& [name, flag] : {std::pair{"newuser", CLONE_NEWUSER},
                                   {"newnet", CLONE_NEWNET},
                                   {"newns", CLONE_NEWNS},
                                   {"newpid", CLONE_NEWPID},
                                   {"newipc", CLONE_NEWIPC},
                                   {"newuts", CLONE_NEWUTS},
                                   {"newcgroup", CLONE_NEWCGROUP},
                                   {"plain", 0}}) {
    show(name, clone_with(static_cast<unsigned long>(flag)));
  }
  // Two at once: a filter that compares all flags with one value would let them through.
  show("newuser+newnet", clone_with(CLONE_NEWUSER | CLONE_NEWNET));
  clone_args arguments{};
  arguments.flags = CLONE_NEWUSER;
  arguments.exit_signal = SIGCHLD;
  const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) ::_exit(0);
  show("clone3", pid);
  // Into the terminal; the kernel reads the low 32 bits of a request only.
  show("tiocsti", ::syscall(SYS_ioctl, 0, TIOCSTI, "x"));
  show("tiocsti-high", ::syscall(SYS_ioctl, 0, TIOCSTI | (1UL << 32), "x"));
  show("tioclinux", ::syscall(SYS_ioctl, 0, 0x541C, "x"));
  show("chmod-suid", [] {
    const char* const folder = std::getenv("TMPDIR");
    const std::string file = std::string(folder != nullptr ? folder : "/tmp") + "/suid";
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT, 0700);
    return fd < 0 ? -1 : ::fchmod(fd, 04755);
  }());
  return 0;
}

/// Signals to what lies outside: the argument is a process number there.
int kill_others(const Arguments& a) {
  show("kill", ::kill(std::stoi(a.at(0)), SIGKILL));
  show("ptrace", ::ptrace(PTRACE_SEIZE, std::stoi(a[0]), nullptr, nullptr));
  return 0;
}

/// Ways out of the process group, and to other processes' limits and other people's files.
/// Arguments: a process outside, a file that may only be read.
int leave_group(const Arguments& a) {
  const pid_t other = std::stoi(a.at(0));
  const char* const file = a.at(1).c_str();
  show("setsid", ::setsid());
  show("setpgid", ::setpgid(0, 0));
  const pid_t child = ::fork();
  if (child == 0) {
    show("child-setsid", ::setsid());
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  const rlimit none{0, 0};
  show("prlimit", ::prlimit(other, RLIMIT_CPU, &none, nullptr));
  rlimit own{};
  show("own-prlimit", ::prlimit(0, RLIMIT_CPU, nullptr, &own));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  show("affinity", ::sched_setaffinity(other, sizeof one, &one));
  show("priority", ::setpriority(PRIO_PROCESS, static_cast<id_t>(other), 19));
  show("pdeathsig", ::prctl(PR_SET_PDEATHSIG, 0));
  show("chmod", ::chmod(file, 0777));
  show("utimes", ::utimensat(AT_FDCWD, file, nullptr, 0));
  show("rename", ::rename(file, (a[1] + ".old").c_str()));
  const char* const folder = std::getenv("TMPDIR");
  const std::string program = std::string(folder != nullptr ? folder : "/tmp") + "/program";
  const int fd = ::open(program.c_str(), O_WRONLY | O_CREAT, 0700);
  show("exec-own", fd < 0 ? -1L : (::close(fd), ::execl(program.c_str(), "program", nullptr)));
  return 0;
}
