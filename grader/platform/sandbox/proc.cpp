#include "grader/platform/sandbox/proc.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "grader/base/core/fd.hpp"
#include "grader/platform/process/in_child.hpp"

namespace opgrade::proc {
namespace {

namespace fs = std::filesystem;

using Text = std::array<char, 2048>;  // a stat file has a name of 16 bytes and 51 numbers at most

/// The beginning of a file; empty if it cannot be read.
std::string_view read_into(Text& text, int folder, const char* name) {
  const Fd file(::openat(folder, name, O_RDONLY | O_CLOEXEC));
  const ssize_t length = file ? ::read(file.get(), text.data(), text.size()) : 0;
  return {text.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

/// Calls `look` with the folder of a process's threads, and with the name of each thread. Makes few
/// system calls, because this runs between all timed calls of a class.
template <class Look>
void for_each_thread(pid_t pid, const Look& look) {
  std::array<char, 32> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/task", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(::opendir(path.data()), &::closedir);
  if (!threads) return;
  while (const dirent* const thread = ::readdir(threads.get()))
    if (thread->d_name[0] != '.') look(::dirfd(threads.get()), thread->d_name);
}

/// The fields of a stat file from the state letter on. The name before them is chosen by the
/// process and may hold ')', spaces and line breaks, so the fields begin behind the last
/// parenthesis of the file.
std::string_view behind_name(std::string_view stat) {
  const auto end = stat.rfind(") ");
  return end == stat.npos ? std::string_view() : stat.substr(end + 2);
}

/// Calls `take` with each living thread of a process and its state letter.
template <class Take>
void for_each_state(pid_t pid, const Take& take) {
  for_each_thread(pid, [&](int folder, const char* thread) {
    std::array<char, 32> name;
    std::snprintf(name.data(), name.size(), "%s/stat", thread);
    Text text;
    const std::string_view fields = behind_name(read_into(text, folder, name.data()));
    if (!fields.empty() && fields[0] != 'Z' && fields[0] != 'X') take(std::atoi(thread), fields[0]);
  });
}

std::int64_t number_in_status(pid_t pid, std::string_view key) {
  // The kernel writes a line break in the name as "\n" here, so each line is one entry.
  return number_behind(key, fmt::format("/proc/{}/status", pid));
}

}  // namespace

std::int64_t number_behind(std::string_view key, const fs::path& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return std::atoll(line.c_str() + key.size());
  }
  return 0;
}

std::string fields_behind_name(const fs::path& stat) {
  Text text;
  return std::string(behind_name(read_into(text, AT_FDCWD, stat.c_str())));
}

std::string thread_states(pid_t pid) {
  std::string states;
  for_each_state(pid, [&](pid_t, char state) { states += state; });
  return states;
}

std::vector<pid_t> ready_threads(pid_t pid) {
  std::vector<pid_t> ready;
  for_each_state(pid, [&](pid_t thread, char state) {
    if (state == 'R') ready.push_back(thread);
  });
  return ready;
}

std::vector<int> descendants(pid_t pid) {
  std::vector<int> all;
  for_each_thread(pid, [&](int folder, const char* thread) {
    // The list may be long, so read_into() does not fit.
    std::array<char, 32> name;
    std::snprintf(name.data(), name.size(), "%s/children", thread);
    const Fd file(::openat(folder, name.data(), O_RDONLY | O_CLOEXEC));
    std::string children;
    Text part;
    for (ssize_t n; file && (n = ::read(file.get(), part.data(), part.size())) > 0;)
      children.append(part.data(), static_cast<std::size_t>(n));
    const char* at = children.data();
    const char* const end = at + children.size();
    for (int child; std::from_chars(at, end, child).ec == std::errc();) {
      at = std::find(at, end, ' ');
      if (at != end) ++at;
      all.push_back(child);
      const auto deeper = descendants(child);
      all.insert(all.end(), deeper.begin(), deeper.end());
    }
  });
  return all;
}

pid_t parent_of(pid_t pid) { return static_cast<pid_t>(number_in_status(pid, "PPid:")); }

std::int64_t private_memory_of(pid_t pid) { return number_in_status(pid, "VmData:") * 1024; }

std::vector<CodePosition> code_positions(pid_t pid) {
  struct Mapping {
    std::uint64_t begin, end, start;  ///< start: of the object, in memory
    std::string object;
  };
  constexpr int kMostLines = 4096;  // a hostile process has 65,530 of them
  std::vector<Mapping> mappings;    // executable ones
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  std::string object;
  std::uint64_t start = 0;
  int lines = 0;
  for (std::string line; lines < kMostLines && std::getline(maps, line); ++lines) {
    unsigned long begin = 0, end = 0, offset = 0;
    char rights[5] = {};
    int name = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %*s %n", &begin, &end, rights, &offset,
                    &name) < 4 ||
        name == 0 || line.compare(static_cast<std::size_t>(name), 1, "/") != 0)
      continue;
    if (offset == 0 || line.compare(static_cast<std::size_t>(name), line.npos, object) != 0) {
      object = line.substr(static_cast<std::size_t>(name));
      start = begin - offset;
    }
    if (rights[2] == 'x') mappings.push_back({begin, end, start, object});
  }
  std::vector<CodePosition> positions;
  for_each_thread(pid, [&](int folder, const char* thread) {
    Text text;
    const std::string line(read_into(text, folder, fmt::format("{}/syscall", thread).c_str()));
    unsigned long stack = 0, code = 0;
    // proc(5): the line begins with -1 if the thread is in no system call.
    if (std::sscanf(line.c_str(), "-1 %lx %lx", &stack, &code) != 2) return;
    for (const Mapping& mapping : mappings)
      if (code >= mapping.begin && code < mapping.end)
        positions.push_back({mapping.object, code - mapping.start});
  });
  return positions;
}

namespace {

struct Times {
  std::chrono::microseconds user{}, system{};
};

/// proc(5): counted from the state letter, utime, stime, cutime and cstime are fields 12 to 15.
Times times_in(const std::string& stat) {
  std::istringstream fields(stat);
  constexpr int kBefore = 11;
  std::string skipped;
  for (int i = 0; i < kBefore; ++i) fields >> skipped;
  std::int64_t user = 0, system = 0, childrens_user = 0, childrens_system = 0;
  if (!(fields >> user >> system >> childrens_user >> childrens_system)) return {};
  const auto time = [tick = std::int64_t{1'000'000} / ::sysconf(_SC_CLK_TCK)](std::int64_t ticks) {
    return std::chrono::microseconds(ticks * tick);
  };
  return {time(user + childrens_user), time(system + childrens_system)};
}

}  // namespace

ResourceUse use_of(pid_t pid) {
  const std::string stat = fields_behind_name(fmt::format("/proc/{}/stat", pid));
  if (stat.empty()) return {};
  const Times times = times_in(stat);
  ResourceUse use{.user = times.user,
                  .system = times.system,
                  .peak_memory_bytes = number_in_status(pid, "VmHWM:") * 1024};
  for_each_thread(pid, [&](int, const char* thread) {
    const fs::path status = fmt::format("/proc/{}/task/{}/status", pid, thread);
    use.voluntary_switches += number_behind("voluntary_ctxt_switches:", status);
    use.involuntary_switches += number_behind("nonvoluntary_ctxt_switches:", status);
  });
  return use;
}

std::chrono::microseconds computed_by(pid_t pid) {
  const Times times = times_in(fields_behind_name(fmt::format("/proc/{}/stat", pid)));
  return times.user + times.system;
}

/// Linux's scheduler/sched-stats: nanoseconds on a core, then nanoseconds waiting for a core.
void add_core_waits(pid_t pid, CoreWaits& waits) {
  for_each_thread(pid, [&](int folder, const char* thread) {
    std::array<char, 32> name;
    std::snprintf(name.data(), name.size(), "%s/schedstat", thread);
    Text text;
    const std::string line(read_into(text, folder, name.data()));
    long long waited = 0;
    if (std::sscanf(line.c_str(), "%*s %lld", &waited) == 1)
      waits[std::atoi(thread)] = std::chrono::nanoseconds(waited);
  });
}

std::vector<int> cores_of(pid_t thread) {
  std::vector<int> cores;
  cpu_set_t set;
  if (::sched_getaffinity(thread, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

std::map<int, std::chrono::microseconds> idle_times() {
  const std::int64_t tick = std::int64_t{1'000'000} / ::sysconf(_SC_CLK_TCK);
  std::map<int, std::chrono::microseconds> idle;
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    int core = 0;
    long long idles = 0, waits_for_disk = 0;
    if (std::sscanf(line.c_str(), "cpu%d %*s %*s %*s %lld %lld", &core, &idles, &waits_for_disk) ==
        3)
      idle[core] = std::chrono::microseconds((idles + waits_for_disk) * tick);
  }
  return idle;
}

/// Counts by the links of /proc/<pid>/task, which belongs to the process's user: the folder has one
/// link for each thread, plus two.
std::uint64_t threads_of(unsigned user) {
  std::uint64_t threads = 0;
  std::error_code ignored;
  for (fs::directory_iterator entry("/proc", ignored), end; entry != end;
       entry.increment(ignored)) {
    struct stat status {};
    if (::stat((entry->path() / "task").c_str(), &status) == 0 && status.st_uid == user)
      threads += status.st_nlink - 2;
  }
  return threads;
}

bool limit_processes(pid_t pid, std::uint64_t most, unsigned user) {
  const rlimit limit{most, most};
  const auto set = [&] {
    return ::prlimit(pid, RLIMIT_NPROC, &limit, nullptr) == 0 || errno == ESRCH;
  };
  if (set()) return true;
  if (errno != EPERM || ::geteuid() == user) return false;
  // Root in a container may lack CAP_SYS_RESOURCE. A process of the same user does not need it.
  const bool limited = succeeds_in_child([&] {
    // Uses system calls directly, because the library's functions would look for this process's
    // other threads.
    return ::syscall(SYS_setresgid, user, user, user) == 0 &&
           ::syscall(SYS_setresuid, user, user, user) == 0 && set();
  });
  errno = EPERM;
  return limited;
}

}  // namespace opgrade::proc
