// Does one thing that a test wants to see from inside a process: `opgrade_probe <act> [arguments]`.
// Each act prints what it found, one "name value" a line; a failed call prints its errno's name.
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

extern char** environ;

namespace {

using Arguments = std::vector<std::string>;

/// "name ok" or "name EPERM".
void show(const char* name, long result) {
  std::printf("%s %s\n", name, result == -1 ? ::strerrorname_np(errno) : "ok");
  std::fflush(stdout);
}
void show(const char* name, const void* mapping) { show(name, mapping == MAP_FAILED ? -1L : 0L); }

void print_file(const char* path) {
  FILE* const file = std::fopen(path, "r");
  for (int c; file != nullptr && (c = std::fgetc(file)) != EOF;) std::putchar(c);
}

int exit_with(const Arguments& a) { return std::stoi(a.at(0)); }

int raise_signal(const Arguments& a) { return ::raise(std::stoi(a.at(0))); }

int both_streams(const Arguments&) {
  std::fputs("to stdout", stdout);
  std::fputs("to stderr", stderr);
  return 0;
}

/// Writes its first argument's count of bytes, or for ever.
int flood(const Arguments& a) {
  const std::string block(4096, 'x');
  long left = a.empty() ? -1 : std::stol(a[0]);
  while (left != 0) {
    const auto n = left < 0 ? block.size() : std::min(block.size(), static_cast<std::size_t>(left));
    if (::write(1, block.data(), n) < 0) return 1;
    if (left > 0) left -= static_cast<long>(n);
  }
  return 0;
}

/// Sleeps until it is killed.
int wait_for_ever(const Arguments&) {
  for (;;) ::pause();
}

int spin(const Arguments&) {
  for (std::atomic<unsigned long> i = 0;;) ++i;
}

int niceness(const Arguments&) {
  std::printf("%d", ::getpriority(PRIO_PROCESS, 0));
  return 0;
}

int environment(const Arguments&) {
  for (char** v = environ; *v != nullptr; ++v) std::puts(*v);
  return 0;
}

int descriptors(const Arguments&) {
  for (int fd = 0; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) std::printf("%d ", fd);
  }
  return 0;
}

/// Copies what can be read from each descriptor.
int read_fds(const Arguments& a) {
  for (const auto& fd : a) {
    char text[100];
    const ssize_t n = ::read(std::stoi(fd), text, sizeof text);
    std::printf("%s:%.*s\n", fd.c_str(), static_cast<int>(n > 0 ? n : 0), text);
  }
  return 0;
}

int status(const Arguments&) {
  print_file("/proc/self/status");
  return 0;
}

int print(const Arguments& a) {
  print_file(a.at(0).c_str());
  return 0;
}

int limits(const Arguments&) {
  for (const auto& [name, resource] : {std::pair{"core", RLIMIT_CORE},
                                       {"processes", RLIMIT_NPROC},
                                       {"nofile", RLIMIT_NOFILE},
                                       {"fsize", RLIMIT_FSIZE}}) {
    rlimit limit{};
    ::getrlimit(resource, &limit);
    std::printf("%s %lu %lu\n", name, limit.rlim_cur, limit.rlim_max);
  }
  return 0;
}

/// Touches that many MiB and keeps them.
int touch(const Arguments& a) {
  const std::size_t bytes = std::stoul(a.at(0)) << 20;
  char* const memory = static_cast<char*>(
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED) {
    std::puts("mmap ENOMEM");
    return 3;
  }
  for (std::size_t i = 0; i < bytes; i += 4096) memory[i] = 1;
  std::puts("touched");
  return 0;
}

/// Fills files of the folder with that many MiB in all, each of at most the second argument's.
int fill(const Arguments& a) {
  ::signal(SIGXFSZ, SIG_IGN);
  const std::string block(1 << 20, 'x');
  long left = std::stol(a.at(1));
  for (int file = 0; left > 0; ++file) {
    const std::string name = a[0] + "/fill" + std::to_string(file);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT, 0600);
    if (fd < 0) return show("open", -1L), 1;
    for (long n = std::stol(a.at(2)); n > 0 && left > 0; --n, --left) {
      if (::write(fd, block.data(), block.size()) != static_cast<ssize_t>(block.size()))
        return show("write", -1L), 1;
    }
    ::close(fd);
  }
  std::puts("filled");
  return 0;
}

int write_past_limit(const Arguments& a) {
  const std::string block(1 << 20, 'x');
  const int fd = ::open(a.at(0).c_str(), O_WRONLY | O_CREAT, 0600);
  while (::write(fd, block.data(), block.size()) > 0) {
  }
  return show("write", -1L), 1;
}

int open_for_reading(const Arguments& a) {
  for (const auto& path : a) show(path.c_str(), ::open(path.c_str(), O_RDONLY));
  return 0;
}

int create(const Arguments& a) {
  for (const auto& path : a) show(path.c_str(), ::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  return 0;
}

int list(const Arguments& a) {
  DIR* const folder = ::opendir(a.at(0).c_str());
  if (folder == nullptr) return show("opendir", -1L), 1;
  while (const dirent* entry = ::readdir(folder)) std::printf("%s ", entry->d_name);
  return 0;
}

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

/// Leaves sleepers behind in sessions of their own and exits.
int leave_children(const Arguments& a) {
  for (int i = std::stoi(a.at(0)); i > 0; --i) {
    if (::fork() == 0) {
      ::setsid();
      if (::fork() == 0) {
        ::signal(SIGTERM, SIG_IGN);
        ::signal(SIGHUP, SIG_IGN);
        for (;;) ::pause();
      }
      ::_exit(0);
    }
    ::wait(nullptr);
  }
  return 0;
}

/// Waits that many times for a moment, each a context switch.
int give_way(const Arguments& a) {
  for (int i = std::stoi(a.at(0)); i > 0; --i) ::usleep(100);
  return 0;
}

/// Leaves a child behind that spins until its CPU limit, and waits until it is gone.
int leave_spinner(const Arguments&) {
  int ends[2];
  if (::pipe(ends) != 0) return 1;
  if (::fork() == 0) {
    if (::fork() == 0) spin({});
    ::_exit(0);
  }
  ::close(ends[1]);
  char end;
  return static_cast<int>(::read(ends[0], &end, 1));
}

int fork_bomb(const Arguments&) {
  for (;;) ::fork();
}

/// Forks as often as it can, at most that many times, and says how often it could.
int fork_count(const Arguments& a) {
  int made = 0;
  for (int i = std::stoi(a.at(0)); i > 0; --i, ++made) {
    const pid_t child = ::fork();
    if (child == 0) wait_for_ever({});
    if (child < 0) break;
  }
  std::printf("made %d\n", made);
  return 0;
}

/// Waits until descriptor 3 is closed at its other end.
int read_then_fork_count(const Arguments& a) {
  char byte;
  while (::read(3, &byte, 1) > 0) {
  }
  return fork_count(a);
}

int fork_and_wait(const Arguments& a) {
  fork_count(a);
  return wait_for_ever({});
}

/// The shared counter behind descriptor 3: what a frozen sandbox must leave alone.
std::atomic<unsigned long>* counter() {
  void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
  return page == MAP_FAILED ? nullptr : static_cast<std::atomic<unsigned long>*>(page);
}

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

/// Every way to change the memory file behind descriptor 3.
int tamper(const Arguments& a) {
  constexpr int fd = 3;
  const std::size_t bytes = std::stoul(a.at(0));
  void* const shared = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  show("map-read", shared);
  show("map-write", ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  show("mprotect", ::mprotect(shared, bytes, PROT_READ | PROT_WRITE));
  show("write", ::pwrite(fd, "x", 1, 0));
  show("grow", ::ftruncate(fd, static_cast<off_t>(bytes + 4096)));
  show("shrink", ::ftruncate(fd, 0));
  show("punch", ::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096));
  show("seal", ::fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
  const int again = ::open("/proc/self/fd/3", O_RDWR);
  show("reopen", again);
  show("map-reopened", again < 0
                           ? MAP_FAILED
                           : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0));
  return 0;
}

int print_hostname(const Arguments&) {
  char name[100] = {};
  ::gethostname(name, sizeof name - 1);
  std::printf("%s", name);
  return 0;
}

int working_folder(const Arguments&) {
  char path[4096];
  std::printf("%s", ::getcwd(path, sizeof path));
  return 0;
}

int session(const Arguments&) {
  std::printf("leader %d\n", ::getsid(0) == ::getpid());
  show("tty", ::open("/dev/tty", O_RDWR));
  return 0;
}

int pairs(const Arguments&) {
  int ends[2];
  show("stream", ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  show("seqpacket", ::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
  show("dgram", ::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
  return 0;
}

/// The socket that CUDA's driver library makes, with the abstract name of the argument, and others.
int driver_socket(const Arguments& a) {
  const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  show("seqpacket", fd);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  a.at(0).copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const auto* const place = reinterpret_cast<const sockaddr*>(&address);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + a[0].size());
  show("bind", ::bind(fd, place, length));
  show("listen", ::listen(fd, 1));
  show("accept", ::accept4(fd, nullptr, nullptr, SOCK_NONBLOCK));
  show("connect", ::connect(::socket(AF_UNIX, SOCK_SEQPACKET, 0), place, length));
  show("stream", ::socket(AF_UNIX, SOCK_STREAM, 0));
  show("dgram", ::socket(AF_UNIX, SOCK_DGRAM, 0));
  show("raw", ::socket(AF_UNIX, SOCK_RAW, 0));
  show("cloexec-dgram", ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  show("inet", ::socket(AF_INET, SOCK_STREAM, 0));
  return 0;
}

struct Act {
  const char* name;
  int (*run)(const Arguments&);
};

constexpr Act kActs[] = {
    {"exit", exit_with},
    {"raise", raise_signal},
    {"both-streams", both_streams},
    {"flood", flood},
    {"wait", wait_for_ever},
    {"spin", spin},
    {"niceness", niceness},
    {"environment", environment},
    {"descriptors", descriptors},
    {"read-fds", read_fds},
    {"status", status},
    {"print", print},
    {"limits", limits},
    {"touch", touch},
    {"fill", fill},
    {"write-past-limit", write_past_limit},
    {"open", open_for_reading},
    {"create", create},
    {"list", list},
    {"network", network},
    {"calls", calls},
    {"privileges", privileges},
    {"kill-others", kill_others},
    {"leave-group", leave_group},
    {"leave-children", leave_children},
    {"give-way", give_way},
    {"leave-spinner", leave_spinner},
    {"fork-bomb", fork_bomb},
    {"fork-count", fork_count},
    {"read-then-fork-count", read_then_fork_count},
    {"fork-and-wait", fork_and_wait},
    {"count", count},
    {"count-and-wake", count_and_wake},
    {"count-and-fork", count_and_fork},
    {"count-in-vfork", count_in_vfork},
    {"count-and-be-woken", count_and_be_woken},
    {"wake-ups", wake_ups},
    {"count-without-leader", count_without_leader},
    {"count-in-a-threads-child", count_in_a_threads_child},
    {"count-under-odd-names", count_under_odd_names},
    {"stay-in-a-call", stay_in_a_call},
    {"pairs", pairs},
    {"driver-socket", driver_socket},
    {"tamper", tamper},
    {"hostname", print_hostname},
    {"folder", working_folder},
    {"session", session},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Act& act : kActs) {
    if (argc >= 2 && act.name == std::string(argv[1])) return act.run({argv + 2, argv + argc});
  }
  std::fputs("usage: opgrade_probe ACT [ARGUMENTS]\n", stderr);
  return 2;
}
