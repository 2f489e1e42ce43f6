#include "grader/sandbox/proc.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "grader/core/fd.hpp"

namespace opgrade::proc {
namespace {

namespace fs = std::filesystem;

/// The folders in /proc of a process's threads; of one that is gone, none.
std::vector<fs::path> threads_in(pid_t pid) {
  std::vector<fs::path> threads;
  std::error_code gone;
  for (fs::directory_iterator entry(fmt::format("/proc/{}/task", pid), gone), end; entry != end;
       entry.increment(gone)) {
    threads.push_back(entry->path());
  }
  return threads;
}

/// The number behind `key` in a process's status file; 0 for a process that is not there.
std::int64_t number_in_status(pid_t pid, std::string_view key) {
  // The kernel writes a line break in the name as "\n" here, so that lines are lines.
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return std::atoll(line.c_str() + key.size());
  }
  return 0;
}

}  // namespace

std::string fields_behind_name(const fs::path& stat) {
  const Fd file(::open(stat.c_str(), O_RDONLY | O_CLOEXEC));
  // The name has 16 bytes at most, the 51 other fields 20 digits.
  std::array<char, 2048> text;
  const ssize_t length = file ? ::read(file.get(), text.data(), text.size()) : 0;
  const std::string_view all(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  const auto end = all.rfind(") ");
  return end == all.npos ? std::string() : std::string(all.substr(end + 2));
}

std::string thread_states(pid_t pid) {
  std::string states;
  for (const fs::path& thread : threads_in(pid)) {
    const std::string fields = fields_behind_name(thread / "stat");
    if (!fields.empty() && fields[0] != 'Z' && fields[0] != 'X') states += fields[0];
  }
  return states;
}

std::vector<int> descendants(pid_t pid) {
  std::vector<int> all;
  for (const fs::path& thread : threads_in(pid)) {
    std::ifstream file(thread / "children");
    for (int child; file >> child;) {
      all.push_back(child);
      const auto deeper = descendants(child);
      all.insert(all.end(), deeper.begin(), deeper.end());
    }
  }
  return all;
}

pid_t parent_of(pid_t pid) { return static_cast<pid_t>(number_in_status(pid, "PPid:")); }

std::int64_t private_memory_of(pid_t pid) { return number_in_status(pid, "VmData:") * 1024; }

/// /proc/<pid>/task belongs to the process's user and has one link for each thread, beside its own
/// two.
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
  // Root in a container may lack CAP_SYS_RESOURCE. A process of the same user needs none.
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    // Not the library's functions: they would look for this process's other threads.
    const bool same = ::syscall(SYS_setresgid, user, user, user) == 0 &&
                      ::syscall(SYS_setresuid, user, user, user) == 0;
    ::_exit(same && set() ? 0 : EPERM);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  errno = EPERM;
  return status == 0;
}

}  // namespace opgrade::proc
