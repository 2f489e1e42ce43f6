// Acts of the probe: processes that go on counting, by every way not to be stopped.
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

namespace {

/// The shared counter behind descriptor 3: what a frozen sandbox must leave alone.
std::atomic<unsigned long>* counter() {
  void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
  return page == MAP_FAILED ? nullptr : static_cast<std::atomic<unsigned long>*>(page);
}

}  // namespace

/// Counts in that many processes of that many threads each.
int count(const Arguments& a) {
  auto* const shared = counter();
  if (shared == nullptr) return 1;
  const auto work = [=] {
    for (;;) shared->fetch_add(1, std::memory_order_relaxed);
  };
  for (int p = std::stoi(a.at(0)); p > 1; --p) {
    if (::fork() == 0) break;
  }
  std::vector<std::thread> threads;
  for (int t = std::stoi(a.at(1)); t > 1; --t) threads.emplace_back(work);
  work();
  return 0;
}

/// Counts in a process that a sibling wakes with SIGCONT again and again, and the other way round.
int count_and_wake(const Arguments&) {
  auto* const shared = counter();
  if (shared == nullptr) return 1;
  pid_t other = ::getpid();
  if (const pid_t child = ::fork(); child > 0) other = child;
  for (;;) {
    ::kill(other, SIGCONT);
    shared->fetch_add(1, std::memory_order_relaxed);
  }
}

/// Counts while it forks children that count and end.
int count_and_fork(const Arguments&) {
  auto* const shared = counter();
  if (shared == nullptr) return 1;
  ::signal(SIGCHLD, SIG_IGN);
  for (;;) {
    if (::fork() == 0) {
      for (int i = 0; i < 1000; ++i) shared->fetch_add(1, std::memory_order_relaxed);
      ::_exit(0);
    }
    shared->fetch_add(1, std::memory_order_relaxed);
  }
}

/// Counts in the child of a vfork, while its parent waits where no signal stops it.
int count_in_vfork(const Arguments&) {
  auto* const shared = counter();
  if (shared == nullptr) return 1;
  if (::vfork() == 0) {
    for (;;) shared->fetch_add(1, std::memory_order_relaxed);
  }
  return 0;
}

/// Counts, and has every kernel service that it may have send it SIGCONT from now on.
int count_and_be_woken(const Arguments&) {
  auto* const shared = counter();
  if (shared == nullptr) return 1;
  ::signal(SIGCONT, [](int) {});  // one that is ignored is not sent a second time
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGCONT;
  timer_t timer;
  const itimerspec often{{0, 2'000'000}, {0, 2'000'000}};
  if (::timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
    ::timer_settime(timer, 0, &often, nullptr);
  // What the grader reads of the output makes room in its pipe, and room is a signal.
  ::fcntl(STDOUT_FILENO, F_SETOWN, ::getpid());
  ::fcntl(STDOUT_FILENO, F_SETSIG, SIGCONT);
  ::fcntl(STDOUT_FILENO, F_SETFL, O_ASYNC | O_NONBLOCK);
  for (;;) shared->fetch_add(1, std::memory_order_relaxed);
}

/// Every way to have SIGCONT sent whose number is an argument, with and without more high bits than
/// the kernel looks at.
int wake_ups(const Arguments&) {
  const pid_t self = ::getpid();
  siginfo_t info{};
  info.si_code = SI_QUEUE;
  for (const long high : {0L, 1L << 32}) {
    const long number = high | SIGCONT;
    show("kill", ::syscall(SYS_kill, self, number));
    show("tkill", ::syscall(SYS_tkill, self, number));
    show("tgkill", ::syscall(SYS_tgkill, self, self, number));
    show("rt_sigqueueinfo", ::syscall(SYS_rt_sigqueueinfo, self, number, &info));
    show("rt_tgsigqueueinfo", ::syscall(SYS_rt_tgsigqueueinfo, self, self, number, &info));
    const auto itself = static_cast<int>(::syscall(SYS_pidfd_open, self, 0));
    show("pidfd_send_signal", ::syscall(SYS_pidfd_send_signal, itself, number, nullptr, 0));
    show("setsig", ::syscall(SYS_fcntl, 1, high | F_SETSIG, SIGCONT));
    show("pdeathsig", ::syscall(SYS_prctl, high | PR_SET_PDEATHSIG, SIGCONT));
    show("clone", ::syscall(SYS_clone, high | CLONE_VFORK | SIGCONT, 0, 0, 0, 0));
  }
  show("another", ::raise(SIGURG));
  return 0;
}

/// Counts in a thread, while the process's first thread has ended.
int count_without_leader(const Arguments&) {
  auto* const shared = counter();
  if (shared == nullptr) return 1;
  std::thread([=] {
    for (;;) shared->fetch_add(1, std::memory_order_relaxed);
  }).detach();
  ::pthread_exit(nullptr);
}

/// Counts in a child of a thread that is not the first.
int count_in_a_threads_child(const Arguments&) {
  auto* const shared = counter();
  if (shared == nullptr) return 1;
  std::thread([=] {
    if (::fork() == 0) {
      for (;;) shared->fetch_add(1, std::memory_order_relaxed);
    }
    wait_for_ever({});
  }).join();
  return 0;
}

/// Counts in two processes whose names look like those of stopped ones on their first line, and
/// have a second one.
int count_under_odd_names(const Arguments&) {
  auto* const shared = counter();
  if (shared == nullptr) return 1;
  ::prctl(PR_SET_NAME, "a) T 1\n) T 1 1");
  ::fork();
  for (;;) shared->fetch_add(1, std::memory_order_relaxed);
}

/// Counts once, and is then in one system call for half a minute: it fills the page tables of a
/// large mapping with the page of zeros.
int stay_in_a_call(const Arguments&) {
  auto* const shared = counter();
  if (shared == nullptr) return 1;
  ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  shared->fetch_add(1, std::memory_order_relaxed);
  ::mmap(nullptr, 1UL << 40, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE,
         -1, 0);
  return 0;
}
