#include "grader/platform/gpu/foreign_processes.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "grader/base/core/printable.hpp"

namespace opgrade {
namespace {

/// Another opgrade is no foreign process, because it uses the device only while it holds the lock.
bool is_opgrade(const std::string& name) { return name.starts_with("opgrade"); }

struct Process {
  std::string name;
  int parent = 0;
};

/// Reads /proc/PID/stat: "812 (python3) S 1 ...". A name may contain anything.
Process process_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto begin = text.find('('), end = text.rfind(')');
  if (begin == text.npos || end == text.npos || end + 4 >= text.size()) return {};
  return {text.substr(begin + 1, end - begin - 1), std::atoi(text.c_str() + end + 4)};
}

std::string user_of(int pid) {
  struct ::stat status {};
  if (::stat(fmt::format("/proc/{}", pid).c_str(), &status) != 0) return "an unknown user";
  std::array<char, 4096> text;
  ::passwd entry{};
  ::passwd* found = nullptr;
  ::getpwuid_r(status.st_uid, &entry, text.data(), text.size(), &found);
  return found != nullptr ? found->pw_name : fmt::format("user {}", status.st_uid);
}

bool is_own(int pid) {
  for (; pid > 1; pid = process_of(pid).parent)
    if (pid == ::getpid()) return true;
  return false;
}

}  // namespace

std::vector<std::string> foreign_processes(const std::vector<int>& pids) {
  std::vector<std::string> foreign;
  if (std::ranges::find(pids, ::getpid()) == pids.end()) return foreign;
  for (const int pid : pids) {
    const Process process = process_of(pid);
    // A process that has just ended has no name.
    if (process.name.empty() || is_opgrade(process.name) || is_own(pid)) continue;
    foreign.push_back(
        fmt::format("{}, process {} of {}", printable_line(process.name), pid, user_of(pid)));
  }
  return foreign;
}

}  // namespace opgrade
