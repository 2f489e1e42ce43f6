#include "grader/emulation/runtime/late_copies.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/variation.hpp"
#include "grader/emulation/runtime/worker.hpp"
#include "opgrade_emulation/async_copy.hpp"

namespace opgrade_emulation {
namespace {

struct Copy {
  char* to;
  const char* from;
  std::size_t bytes, used;
  const void* site;

  void make() const {
    std::memcpy(to, from, used);
    std::memset(to + used, 0, bytes - used);
  }
};
using Group = std::vector<Copy>;

struct ThreadCopies {
  Group open;
  std::deque<Group> groups;  ///< committed groups, in order
};

/// By thread, the copies in a worker's current block that the thread has not waited for.
struct BlockCopies {
  std::uint64_t launch = 0;  ///< number of the launch
  std::uint64_t block = 0;
  std::map<unsigned, ThreadCopies> threads;
};

ThreadCopies& of_running_thread() {
  // A worker belongs to one host thread.
  // Never destroyed, because exit() destroys a thread's variables before it calls handlers that may
  // wait for work.
  static thread_local auto* const blocks = new std::map<const Worker*, BlockCopies>;
  const Worker& worker = *current_worker;
  BlockCopies& block = (*blocks)[&worker];
  if (block.launch != worker.launch()->number || block.block != worker.block_number())
    block = {worker.launch()->number, worker.block_number(), {}};
  return block.threads[worker.thread_number()];
}

std::mutex sites_mutex;
/// For each place that copies: true if some thread waited for a copy of it.
std::map<const void*, bool>& waited_for() {
  static auto* const sites = new std::map<const void*, bool>;
  return *sites;
}

void make(Group& group) {
  for (const Copy& copy : group) copy.make();
  const std::lock_guard lock(sites_mutex);
  for (const Copy& copy : group) waited_for()[copy.site] = true;
  group.clear();
}

}  // namespace

bool copies_are_late() { return variation().late; }

void copy_late(void* to, const void* from, std::size_t bytes, std::size_t used) {
  if (current_worker == nullptr) return;
  const void* const site = __builtin_return_address(0);
  of_running_thread().open.push_back({static_cast<char*>(to), static_cast<const char*>(from), bytes,
                                      used < bytes ? used : bytes, site});
  const std::lock_guard lock(sites_mutex);
  waited_for().try_emplace(site, false);
}

void commit_late_copies() {
  if (current_worker == nullptr) return;
  ThreadCopies& thread = of_running_thread();
  thread.groups.push_back(std::exchange(thread.open, {}));
}

void make_late_copies(std::size_t most_left) {
  if (current_worker == nullptr) return;
  ThreadCopies& thread = of_running_thread();
  for (; thread.groups.size() > most_left; thread.groups.pop_front()) make(thread.groups.front());
}

void make_all_late_copies() {
  if (current_worker == nullptr) return;
  make_late_copies(0);
  make(of_running_thread().open);
}

bool report_copies_without_wait() {
  const std::lock_guard lock(sites_mutex);
  bool any = false;
  for (const auto& [site, waited] : waited_for()) {
    if (waited) continue;
    any = true;
    report({.kind = "missing_wait",
            .message = "No thread waits for this asynchronous copy. Wait for it, and then call "
                       "__syncthreads() if other threads use what it brings.",
            .site = site});
  }
  waited_for().clear();
  return any;
}

}  // namespace opgrade_emulation
