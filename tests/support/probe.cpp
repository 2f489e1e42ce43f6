// Does one thing that a test wants to see from inside a process: `opgrade_probe <act> [arguments]`.
// Each act prints what it found, one "name value" a line; a failed call prints its errno's name.
#include "tests/support/probe.hpp"

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

void show(const char* name, long result) {
  std::printf("%s %s\n", name, result == -1 ? ::strerrorname_np(errno) : "ok");
  std::fflush(stdout);
}
void show(const char* name, const void* mapping) { show(name, mapping == MAP_FAILED ? -1L : 0L); }

int wait_for_ever(const Arguments&) {
  for (;;) ::pause();
}

namespace {

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

/// As libcuda does it: fopen(path, "w") of another thread's name.
int name_a_thread(const Arguments&) {
  std::atomic<int> id = 0;
  std::atomic<bool> over = false;
  std::thread other([&] {
    id = static_cast<int>(::syscall(SYS_gettid));
    id.notify_one();
    over.wait(false);
  });
  id.wait(0);
  const std::string path = "/proc/self/task/" + std::to_string(id) + "/comm";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  show("open", file);
  if (file >= 0) show("write", ::write(file, "named", 5));
  over = true;
  over.notify_one();
  other.join();
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
    {"name-a-thread", name_a_thread},
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
