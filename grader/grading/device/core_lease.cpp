#include "grader/grading/device/core_lease.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/file.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>

#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

LockFile file_of(const fs::path& folder, int core) {
  return LockFile(folder / fmt::format("opgrade-core-{}.lock", core));
}

/// Lets some time pass, or throws Interrupted.
void pause() {
  constexpr int kPauseMs = 20;
  pollfd interrupted{interrupt::descriptor(), POLLIN, 0};
  ::poll(&interrupted, 1, kPauseMs);
  interrupt::check();
}

}  // namespace

std::vector<int> usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {};
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  return spread_out(cores);
}

std::vector<int> spread_out(const std::vector<int>& cores, const fs::path& cpus) {
  std::map<std::string, int> siblings;     // by the list that all of a physical core have
  std::vector<std::pair<int, int>> order;  // how many siblings come before, and the core
  for (const int core : cores) {
    const fs::path topology = cpus / fmt::format("cpu{}/topology", core);
    std::string list;
    std::getline(std::ifstream(topology / "thread_siblings_list"), list);
    if (list.empty()) list = std::to_string(core);
    order.emplace_back(siblings[list]++, core);
  }
  std::ranges::sort(order);
  std::vector<int> spread;
  for (const auto& [before, core] : order) spread.push_back(core);
  return spread;
}

CoreLease::CoreLease(std::size_t count, const std::vector<int>& cores, LockPatience patience,
                     const fs::path& folder) {
  LockFile collecting(folder / "opgrade-cores.lock");
  while (!wait_for(collecting, patience)) pause();
  std::vector<std::pair<int, LockFile>> others;
  for (const int core : cores) others.emplace_back(core, file_of(folder, core));
  while (cores_.size() < count) {
    for (auto& [core, file] : others) {
      if (cores_.size() == count) break;
      if (std::ranges::find(cores_, core) != cores_.end() || !wait_for(file, patience)) continue;
      cores_.push_back(core);
      locks_.push_back(std::move(file));
    }
    if (cores_.size() < count) pause();
  }
  std::ranges::sort(cores_);
}

/// True if this lease has the lock now, or goes on without it.
bool CoreLease::wait_for(LockFile& file, LockPatience& patience) {
  if (file.try_lock(LOCK_EX)) return true;
  const bool over = file.problem().empty() && patience.is_over(file);
  if (!over && file.problem().empty()) return false;
  problem_ = fmt::format("other timed runs may have used the same cores: {}",
                         over ? patience.why() : file.problem());
  return true;
}

}  // namespace opgrade
