#include "grader/emulation/runtime/launch_counts.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "grader/emulation/runtime/count/text.hpp"
#include "grader/emulation/runtime/hooks.hpp"

namespace opgrade_emulation {
namespace {

/// Step, layer, grid, block, static and dynamic shared memory, name.
using Way = std::tuple<std::string, int, std::array<unsigned, 3>, std::array<unsigned, 3>, int,
                       std::size_t, std::string>;

struct Launches {
  std::uint64_t number = 0;
  LaunchCounts did;
};

struct Counts {
  std::atomic<bool> running = false;
  std::mutex mutex;
  std::map<Way, Launches> ways;
  std::string step = "none";
  int layer = 0;
};
Counts& counts() {
  static auto* const c = new Counts;
  return *c;
}

}  // namespace

void count_launch(const char* kernel, const dim3& grid, const dim3& block, int static_shared,
                  std::size_t dynamic_shared) {
  Counts& c = counts();
  if (!c.running) return;
  const std::lock_guard lock(c.mutex);
  Launches& launches = c.ways[{c.step,
                               c.layer,
                               {grid.x, grid.y, grid.z},
                               {block.x, block.y, block.z},
                               static_shared,
                               dynamic_shared,
                               kernel}];
  ++launches.number;
  if (check == nullptr) return;
  if (const LaunchCounts* const did = check->counted()) launches.did.add(*did);
}

namespace {

struct Last {
  std::mutex mutex;
  KnownLaunch launch;
  std::atomic<std::uint64_t> number = 0;
};
Last& last() {
  static auto* const l = new Last;
  return *l;
}

}  // namespace

void remember_launch(KnownLaunch launch) {
  const std::lock_guard lock(last().mutex);
  last().launch = std::move(launch);
  ++last().number;
}

std::uint64_t launches_so_far() { return last().number; }

KnownLaunch last_launch() {
  const std::lock_guard lock(last().mutex);
  return last().launch;
}

/// The three functions of grader/harness/profiler/collector.h, for the harness.
extern "C" __attribute__((visibility("default"))) const char* opgrade_profiler_start(void) {
  Counts& c = counts();
  const std::lock_guard lock(c.mutex);
  c.ways.clear();
  c.step = "none";
  c.layer = 0;
  c.running = true;
  return nullptr;
}

extern "C" __attribute__((visibility("default"))) void opgrade_profiler_step(const char* kind,
                                                                             int layer) {
  Counts& c = counts();
  const std::lock_guard lock(c.mutex);
  c.step = kind != nullptr ? kind : "none";
  c.layer = layer;
}

extern "C" __attribute__((visibility("default"))) const char* opgrade_profiler_stop(int file) {
  Counts& c = counts();
  c.running = false;
  const std::lock_guard lock(c.mutex);
  std::string text = "opgrade-profile 1\ndevice 0 0 0 0 0 0 0 emulated device\n";
  const auto sizes = [](const std::array<unsigned, 3>& s) {
    return std::to_string(s[0]) + " " + std::to_string(s[1]) + " " + std::to_string(s[2]) + " ";
  };
  for (const auto& [way, launches] : c.ways) {
    const auto& [step, layer, grid, block, fixed, dynamic, kernel] = way;
    text += "count " + std::to_string(launches.number) + " " + step + " " + std::to_string(layer) +
            " " + sizes(grid) + sizes(block) + std::to_string(fixed) + " " +
            std::to_string(dynamic) + " " + kernel + "\n";
    if (launches.did.threads > 0) text += text_of(launches.did);
  }
  text += uncounted_lines() + "end\n";
  for (std::size_t done = 0; done < text.size();) {
    const auto n = ::write(file, text.data() + done, text.size() - done);
    if (n <= 0) return "the record cannot be written";
    done += static_cast<std::size_t>(n);
  }
  return nullptr;
}

}  // namespace opgrade_emulation
