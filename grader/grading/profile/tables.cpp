#include "grader/grading/profile/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace opgrade {
namespace {

/// The course asks for the kernels and calls that together take more than this.
constexpr double kLeadingShare = 0.9;

const char* name_of(ProfileStep step) {
  constexpr std::array kNames{"prolog", "conv", "epilog"};
  return kNames.at(static_cast<std::size_t>(step));
}

/// "cudaMalloc" of CUPTI's "cudaMalloc_v3020".
std::string without_version(const std::string& name) {
  const auto at = name.rfind("_v");
  const bool version = at != std::string::npos && at + 2 < name.size() &&
                       std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at) + 2, name.end(),
                                   [](char c) { return c >= '0' && c <= '9'; });
  return version && name.starts_with("cuda") ? name.substr(0, at) : name;
}

void add(ProfileTimeRow& row, std::int64_t ns) {
  row.minimum_ns = row.calls == 0 ? ns : std::min(row.minimum_ns, ns);
  row.maximum_ns = std::max(row.maximum_ns, ns);
  row.total_ns += ns;
  ++row.calls;
}

using Interval = std::pair<std::int64_t, std::int64_t>;

/// How long at least one of the intervals held.
std::int64_t covered(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::int64_t sum = 0, reached = 0;
  for (const auto& [start, end] : intervals) {
    const auto from = std::max(start, reached);
    if (end > from) sum += end - from;
    reached = std::max(reached, end);
  }
  return sum;
}

class Tables {
 public:
  Tables(const ProfileEvents& events, const std::vector<ProfiledLayer>& layers)
      : events_(events), layers_(layers), steps_(events.steps) {
    std::sort(steps_.begin(), steps_.end(),
              [](const StepEvent& a, const StepEvent& b) { return a.begin < b.begin; });
  }

  ProfileReport fill() {
    report_.device = events_.device.name;
    report_.problem = events_.problem;
    if (events_.lost > 0 && report_.problem.empty()) {
      report_.problem = fmt::format("{} records were lost: the tables lack them", events_.lost);
    }
    for (const auto& layer : layers_) {
      auto& row = report_.layers.emplace_back();
      row.layer = layer.name;
      row.shape = layer.shape;
      row.flops = layer.flops;
    }
    if (!events_.counts.empty()) {
      counts();
    } else {
      report_.timed = true;
      sort_calls();
      calls();
      kernels();
      memory();
      rates();
    }
    rank_rows(report_.kernels);
    rank_rows(report_.calls);
    return std::move(report_);
  }

 private:
  /// The step that contains a moment, or null.
  const StepEvent* step_at(std::int64_t moment) const {
    const auto after =
        std::upper_bound(steps_.begin(), steps_.end(), moment,
                         [](std::int64_t t, const StepEvent& step) { return t < step.begin; });
    if (after == steps_.begin()) return nullptr;
    const StepEvent& step = *std::prev(after);
    return moment <= step.end ? &step : nullptr;
  }

  /// The layer whose call was the last to begin before a moment.
  int layer_at(std::int64_t moment) const {
    int layer = 0;
    for (const StepEvent& step : steps_) {
      if (step.begin <= moment) layer = step.layer;
    }
    return layer;
  }

  bool is_harness(std::uint32_t thread) const {
    return std::any_of(steps_.begin(), steps_.end(),
                       [&](const StepEvent& step) { return step.thread == thread; });
  }

  /// Decides which calls are the submission's own, and remembers when each launch was asked for.
  void sort_calls() {
    std::vector<const CallEvent*> all;
    for (const auto& call : events_.calls) all.push_back(&call);
    std::stable_sort(all.begin(), all.end(), [](const CallEvent* a, const CallEvent* b) {
      return std::tie(a->start, b->end) < std::tie(b->start, a->end);
    });
    std::unordered_map<std::uint32_t, std::int64_t> runtime_until;  // by thread
    std::map<const StepEvent*, std::vector<const CallEvent*>> by_step;
    for (const CallEvent* call : all) {
      auto& until = runtime_until[call->thread];
      const bool inner = call->driver && call->start < until;
      if (!call->driver) until = std::max(until, call->end);
      const StepEvent* const step = step_at(call->start);
      if (step == nullptr && is_harness(call->thread)) {
        graders_.insert(call->correlation);
        continue;
      }
      launched_at_.try_emplace(call->correlation, call->start);
      if (inner) continue;
      if (step != nullptr && step->step == ProfileStep::call && step->thread == call->thread) {
        by_step[step].push_back(call);
      } else {
        own_.push_back(call);
      }
    }
    for (auto& [step, calls] : by_step) {
      const auto [first, last] = without_timer(calls);
      own_.insert(own_.end(), calls.begin() + first, calls.begin() + last);
    }
  }

  /// The adapters' event timer: these calls first and last in a conv call, in this order.
  static std::pair<std::ptrdiff_t, std::ptrdiff_t> without_timer(
      const std::vector<const CallEvent*>& calls) {
    static constexpr std::array kBefore{"cudaEventCreate", "cudaEventCreate", "cudaEventRecord"};
    static constexpr std::array kAfter{"cudaEventRecord", "cudaEventSynchronize",
                                       "cudaEventElapsedTime", "cudaEventDestroy",
                                       "cudaEventDestroy"};
    const auto size = static_cast<std::ptrdiff_t>(calls.size());
    constexpr auto kFirst = static_cast<std::ptrdiff_t>(kBefore.size());
    constexpr auto kLast = static_cast<std::ptrdiff_t>(kAfter.size());
    if (size < kFirst + kLast) return {0, size};
    const auto is = [&](std::ptrdiff_t at, const char* name) {
      return without_version(calls[static_cast<std::size_t>(at)]->name) == name;
    };
    for (std::ptrdiff_t i = 0; i < kFirst; ++i) {
      if (!is(i, kBefore[static_cast<std::size_t>(i)])) return {0, size};
    }
    for (std::ptrdiff_t i = 0; i < kLast; ++i) {
      if (!is(size - kLast + i, kAfter[static_cast<std::size_t>(i)])) return {0, size};
    }
    return {kFirst, size - kLast};
  }

  void calls() {
    std::map<std::string, ProfileTimeRow> rows;
    for (const CallEvent* call : own_) {
      add(rows[without_version(call->name)], call->end - call->start);
    }
    name_rows(rows, report_.calls);
  }

  void kernels() {
    std::map<std::string, ProfileTimeRow> rows;
    std::vector<std::vector<Interval>> inside(layers_.size()), outside(layers_.size());
    for (const KernelEvent& kernel : events_.kernels) {
      if (graders_.contains(kernel.correlation)) continue;
      const auto asked = launched_at_.find(kernel.correlation);
      const auto moment = asked != launched_at_.end() ? asked->second : kernel.start;
      const StepEvent* const step = step_at(moment);
      add(rows[kernel.name], kernel.end - kernel.start);
      launch(kernel, step != nullptr ? name_of(step->step) : "between calls");
      const int layer = step != nullptr ? step->layer : layer_at(moment);
      if (layer < 0 || static_cast<std::size_t>(layer) >= layers_.size()) continue;
      const bool counted = step != nullptr && step->step == ProfileStep::call;
      auto& row = report_.layers[static_cast<std::size_t>(layer)];
      ++(counted ? row.launches : row.outside_launches);
      (counted ? inside : outside)[static_cast<std::size_t>(layer)].push_back(
          {kernel.start, kernel.end});
    }
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      report_.layers[i].kernels_ns = covered(std::move(inside[i]));
      report_.layers[i].outside_ns = covered(std::move(outside[i]));
    }
    name_rows(rows, report_.kernels);
  }

  template <class Row>
  static void name_rows(std::map<std::string, Row>& rows, std::vector<Row>& table) {
    for (auto& [name, row] : rows) {
      row.name = name;
      table.push_back(row);
    }
  }

  void launch(const ProfileLaunch& kernel, const std::string& step, std::int64_t times = 1) {
    const auto same = [&](const ProfileLaunchRow& row) {
      return row.step == step && static_cast<const ProfileLaunch&>(row) == kernel;
    };
    auto row = std::find_if(report_.launches.begin(), report_.launches.end(), same);
    if (row != report_.launches.end()) {
      row->calls += times;
      return;
    }
    // A submission that launches each time in another way would make the table endless.
    constexpr std::size_t kMostRows = 100;
    if (report_.launches.size() == kMostRows) return;
    const Occupancy occupancy = occupancy_of(kernel, events_.device);
    report_.launches.push_back(
        {kernel, step, times, occupancy.blocks, occupancy.warps, occupancy.limit});
  }

  void memory() {
    std::map<std::string, ProfileMemoryRow> rows;
    for (const MemoryEvent& event : events_.memory) {
      if (graders_.contains(event.correlation)) continue;
      const std::string name =
          event.from.empty() ? "fill" : fmt::format("copy {} to {}", event.from, event.to);
      auto& row = rows[name];
      const auto ns = event.end - event.start;
      row.minimum_ns = row.calls == 0 ? ns : std::min(row.minimum_ns, ns);
      row.smallest = row.calls == 0 ? event.bytes : std::min(row.smallest, event.bytes);
      row.maximum_ns = std::max(row.maximum_ns, ns);
      row.largest = std::max(row.largest, event.bytes);
      row.total_ns += ns;
      row.bytes += event.bytes;
      ++row.calls;
    }
    name_rows(rows, report_.memory);
    std::stable_sort(report_.memory.begin(), report_.memory.end(),
                     [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  }

  void rates() {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      auto& row = report_.layers[i];
      if (!(row.kernels_ns > 0)) continue;
      const double seconds = static_cast<double>(row.kernels_ns) * 1e-9;
      row.flops_per_second = layers_[i].flops / seconds;
      row.bytes_per_second = layers_[i].bytes / seconds;
    }
  }

  void counts() {
    std::map<std::string, ProfileTimeRow> rows;
    for (const CountEvent& event : events_.counts) {
      rows[event.name].calls += event.count;
      launch(event, event.in_step ? name_of(event.step) : "between calls", event.count);
      if (event.layer < 0 || static_cast<std::size_t>(event.layer) >= layers_.size()) continue;
      if (event.did.threads > 0) did(event);
      auto& layer = report_.layers[static_cast<std::size_t>(event.layer)];
      const bool counted = event.in_step && event.step == ProfileStep::call;
      (counted ? layer.launches : layer.outside_launches) += event.count;
    }
    name_rows(rows, report_.kernels);
  }

  void did(const CountEvent& event) {
    ProfileCountRow& row = report_.counts.emplace_back(event.did);
    row.name = event.name;
    row.step = event.in_step ? name_of(event.step) : "between calls";
    row.layer = event.layer;
    row.launches = event.count;
    std::copy(event.grid, event.grid + 3, row.grid);
    std::copy(event.block, event.block + 3, row.block);
  }

  const ProfileEvents& events_;
  const std::vector<ProfiledLayer>& layers_;
  std::vector<StepEvent> steps_;
  std::vector<const CallEvent*> own_;
  std::unordered_set<std::uint32_t> graders_;  ///< correlations of the grader's own calls
  std::unordered_map<std::uint32_t, std::int64_t> launched_at_;
  ProfileReport report_;
};

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kRegisterStep = 256;
constexpr std::int64_t kRegisterFiles = 4;  // since compute capability 5.0
constexpr std::int64_t kSharedStep = 128;
constexpr std::int64_t kSharedReserved = 1024;

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

void rank_rows(std::vector<ProfileTimeRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a.total_ns, a.calls) > std::tie(b.total_ns, b.calls);
  });
  double total = 0, reached = 0;
  for (const auto& row : rows) total += static_cast<double>(row.total_ns);
  if (!(total > 0)) return;
  for (auto& row : rows) {
    row.leading = !(reached > kLeadingShare);
    row.share = static_cast<double>(row.total_ns) / total;
    reached += row.share;
  }
}

ProfileReport tables_of(const ProfileEvents& events, const std::vector<ProfiledLayer>& layers) {
  return Tables(events, layers).fill();
}

Occupancy occupancy_of(const ProfileLaunch& kernel, const DeviceLimits& device) {
  constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();
  std::int64_t threads = 1;
  for (const int size : kernel.block) {
    if (size < 1 || size > 1024) return {};
    threads *= size;
  }
  // Shared memory beyond any device's is a forged number, and would overflow below.
  constexpr std::int64_t kMostShared = std::int64_t{1} << 30;
  if (threads > 1024 || device.warps < 1 || device.blocks < 1 ||
      kernel.static_shared > kMostShared || kernel.dynamic_shared > kMostShared) {
    return {};
  }
  const std::int64_t warps = (threads + kWarp - 1) / kWarp;

  std::int64_t by_registers = kNoLimit;
  if (kernel.registers > 0 && device.registers > 0) {
    const auto a_warp = round_up(kernel.registers * kWarp, kRegisterStep);
    by_registers = device.registers / kRegisterFiles / a_warp * kRegisterFiles / warps;
  }
  std::int64_t by_shared = kNoLimit;
  const auto used = kernel.static_shared + kernel.dynamic_shared;
  if (used > 0 && device.shared_bytes > 0) {
    const auto reserved = device.major >= 8 ? kSharedReserved : 0;
    by_shared = device.shared_bytes / round_up(used + reserved, kSharedStep);
  }
  const std::array<std::pair<std::int64_t, const char*>, 4> limits{
      {{device.warps / warps, "threads"},
       {by_registers, "registers"},
       {by_shared, "shared memory"},
       {device.blocks, "blocks"}}};
  const auto least = *std::min_element(limits.begin(), limits.end(),
                                       [](auto& a, auto& b) { return a.first < b.first; });
  Occupancy result;
  result.blocks = static_cast<int>(least.first);
  result.warps = static_cast<double>(least.first * warps) / device.warps;
  if (result.warps < 1) result.limit = least.second;
  return result;
}

}  // namespace opgrade
