#include "grader/emulation/runtime/launch_counts.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "grader/emulation/runtime/count/counts.hpp"
#include "grader/emulation/runtime/hooks.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "opgrade_emulation/counting.hpp"

namespace opgrade_emulation {
namespace {

std::string numbers(std::initializer_list<std::uint64_t> all) {
  std::string text;
  for (const std::uint64_t n : all) text += ' ' + std::to_string(n);
  return text;
}

std::string text_of(const AccessSite& site) {
  constexpr const char* kSpaces[] = {" global", " shared", " constant"};
  constexpr const char* kUses[] = {" load", " store", " atomic"};
  return std::string(kSpaces[static_cast<int>(site.space())]) + kUses[static_cast<int>(site.use())];
}

/// Arrays in the order of their sizes, because addresses mean nothing to a reader.
std::vector<std::pair<std::uintptr_t, ArrayCounts>> sorted(const LaunchCounts& counts) {
  std::vector<std::pair<std::uintptr_t, ArrayCounts>> arrays(counts.arrays.begin(),
                                                             counts.arrays.end());
  std::ranges::stable_sort(arrays, [](const auto& a, const auto& b) {
    return std::tie(a.second.bytes, a.second.loads) < std::tie(b.second.bytes, b.second.loads);
  });
  return arrays;
}

bool only_copies(const LaunchCounts& counts) {
  std::uint64_t operations = 0;
  for (const auto& type : counts.arithmetic)
    for (const std::uint64_t n : type) operations += n;
  return operations == 0 && counts.moved == 0 && counts.moved_words > 0;
}

std::vector<std::pair<std::string, int>>& uncounted() {
  static auto* const lines = new std::vector<std::pair<std::string, int>>;
  return *lines;
}

/// One line `uncounted` for each source line that the translator left out.
std::string uncounted_lines() {
  std::string text;
  for (const auto& [file, line] : uncounted())
    text += "uncounted " + std::to_string(line) + ' ' + file + '\n';
  return text;
}

/// One line `did` with the numbers of the whole launch, a line `array` for each allocation that it
/// loads from, and a line `access` for each source line, kind of memory and kind of access. The
/// order depends only on the counts, so every compiler gives the same text, except for the sites.
std::string text_of(const LaunchCounts& counts) {
  std::string text = "did";
  for (const auto& type : counts.arithmetic) text += numbers({type[0], type[1], type[2], type[3]});
  text += numbers({counts.barriers, counts.shuffles, counts.votes, counts.fragments, counts.threads,
                   counts.idle, counts.same_address, counts.exchanged, only_copies(counts)});
  text += '\n';
  const auto arrays = sorted(counts);
  for (const auto& [begin, array] : arrays)
    text += "array" + numbers({array.bytes, array.loads, array.of_blocks, array.of_grids}) + '\n';
  std::vector<std::string> lines;
  for (const auto& [site, access] : counts.sites) {
    const SourceLine at = source_line(site.site());
    const auto array =
        std::ranges::find(arrays, access.array, [](const auto& a) { return a.first; });
    const auto index = static_cast<std::uint64_t>(
        access.array == 0 || array == arrays.end() ? 0 : array - arrays.begin() + 1);
    lines.push_back("access" + text_of(site) + ' ' + std::to_string(at.line) +
                    numbers({index, access.requests, access.lanes, access.bytes, access.sectors,
                             access.least_sectors, access.wavefronts, access.least_wavefronts,
                             access.crowd, access.exchanged, place_in_code(site.site())}) +
                    ' ' + (at.file.empty() ? "?" : at.file) + '\n');
  }
  std::ranges::sort(lines);
  for (const std::string& line : lines) text += line;
  return text;
}

void add(LaunchCounts& sum, const LaunchCounts& more) {
  for (const auto& [site, counts] : more.sites) sum.sites[site].add(counts);
  for (const auto& [begin, counts] : more.arrays) {
    ArrayCounts& all = sum.arrays[begin];
    all.bytes = counts.bytes;
    all.loads += counts.loads;
    all.of_blocks += counts.of_blocks;
    all.of_grids += counts.of_grids;
  }
  for (int type = 0; type < 2; ++type)
    for (int i = 0; i < LaunchCounts::kArithmetic; ++i)
      sum.arithmetic[type][i] += more.arithmetic[type][i];
  for (const auto count :
       {&LaunchCounts::barriers, &LaunchCounts::shuffles, &LaunchCounts::votes,
        &LaunchCounts::fragments, &LaunchCounts::threads, &LaunchCounts::idle,
        &LaunchCounts::exchanged, &LaunchCounts::moved, &LaunchCounts::moved_words})
    sum.*count += more.*count;
  sum.same_address = std::max(sum.same_address, more.same_address);
}

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
  if (const LaunchCounts* const did = check->counted()) add(launches.did, *did);
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

Uncounted::Uncounted(const char* file, int line) { uncounted().emplace_back(file, line); }

void remember_launch(KnownLaunch launch) {
  const std::lock_guard lock(last().mutex);
  last().launch = std::move(launch);
  ++last().number;
}

std::uint64_t launches_so_far() { return last().number; }

std::string text_of(const dim3& size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

KnownLaunch last_launch() {
  const std::lock_guard lock(last().mutex);
  return last().launch;
}

/// The three functions of grader/platform/harness/profiler/collector.h, which the harness calls.
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
