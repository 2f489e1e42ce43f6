#include "grader/base/core/finding_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace opgrade {
namespace {

using enum FindingWeight;

struct Kind {
  std::string_view name;
  FindingWeight weight;
  std::string_view on_a_gpu;
};

constexpr std::string_view kStops = "A GPU stops the kernel there.";
constexpr std::string_view kOtherValues = "On a GPU this memory may hold other values.";
constexpr std::string_view kOtherData = "A GPU may stop the kernel there or touch other data.";

/// Within a weight, a likely cause comes before its symptoms: a bad index often makes threads meet
/// at one place, and after a refused launch nothing is written.
constexpr std::array kKinds{
    Kind{"grid_outside_memory", warns,
         "A GPU runs these blocks as well; they may touch other data."},
    Kind{"out_of_bounds", warns, kOtherData},
    Kind{"index_out_of_range", warns, kOtherData},
    Kind{"use_after_free", decides, kOtherData},
    Kind{"misaligned", decides, kStops},
    Kind{"host_pointer_in_kernel", decides, kStops},
    Kind{"memory_of_another_device", decides, kStops},
    Kind{"assertion", decides, kStops},
    Kind{"stack_overflow", decides, kOtherData},
    Kind{"uninitialized_read", warns, kOtherValues},
    Kind{"data_race", warns, "With threads in another order the outputs may be wrong."},
    Kind{"lost_update", decides, "With blocks or threads in another order an update is lost."},
    Kind{"missing_wait", decides,
         "On a GPU the host or another stream may come before this work is done."},
    Kind{"local_of_another_thread", decides,
         "On a GPU that address means the reading thread's own local memory."},
    Kind{"device_pointer_on_host", decides, "With a GPU the program crashes there."},
    Kind{"host_pointer_in_copy", decides, "CUDA refuses the copy with an error."},
    Kind{"invalid_free", warns, "CUDA refuses the call with an error."},
    Kind{"barrier_divergence", decides,
         "A GPU may hang there, or let threads pass that must wait."},
    Kind{"warp_divergence", decides, "On a GPU the operation's result is undefined."},
    Kind{"invalid_grid_sync", decides, "A GPU hangs there, or reports an error."},
    Kind{"division_by_zero", decides, "A GPU goes on with a meaningless number."},
    Kind{"undefined_behavior", decides, "A GPU goes on with meaningless values."},
    Kind{"host_crash", decides, "The host code also crashes on a machine with a GPU."},
    Kind{"constant_written", decides, "nvcc refuses this line."},
    Kind{"constant_memory_too_large", decides, "nvcc refuses this file."},
    Kind{"shared_memory_too_large", decides, "nvcc refuses this kernel."},
    Kind{"launch_without_configuration", decides, "nvcc refuses this call."},
    Kind{"not_emulated", undecided, ""},
    Kind{"launch_refused", explains, ""},
    Kind{"unchecked_launch_error", explains, ""},
    Kind{"failed_call", explains, ""},
    Kind{"exited_before_barrier", explains, ""},
    Kind{"unset_shared_read", explains, kOtherValues},
    Kind{"uninitialized_copy", explains, kOtherValues},
    Kind{"endless_loop", explains, ""},
    Kind{"uninitialized_variable", explains, "On a GPU the register may hold another value."},
    Kind{"same_value_written", untidy, ""},
    Kind{"device_pointer_in_copy", untidy, ""},
    Kind{"leak", untidy, ""},
    Kind{"compiler_warning", untidy, ""},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kKinds.size()> names;
  std::ranges::transform(kKinds, names.begin(), &Kind::name);
  return names;
}();

const Kind* find_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &Kind::name);
  return found == kKinds.end() ? nullptr : &*found;
}

}  // namespace

std::span<const std::string_view> finding_kinds() { return kNames; }

FindingWeight weight_of(std::string_view kind) {
  const Kind* const known = find_kind(kind);
  return known == nullptr ? FindingWeight::decides : known->weight;
}

void sort_by_cause(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, {}, [](const Finding& f) {
    return std::pair(weight_of(f.kind), std::ranges::find(kNames, f.kind) - kNames.begin());
  });
}

bool decides(const Finding& finding) { return weight_of(finding.kind) == FindingWeight::decides; }
bool warns(const Finding& finding) { return weight_of(finding.kind) == FindingWeight::warns; }
bool is_mistake(const Finding& finding) { return weight_of(finding.kind) <= FindingWeight::warns; }
bool is_note(const Finding& finding) { return weight_of(finding.kind) >= FindingWeight::explains; }

bool reads_unset(const Finding& finding) {
  return finding.kind == "unset_shared_read" || finding.kind == "uninitialized_copy" ||
         finding.kind == "uninitialized_variable";
}

bool is_race(const Finding& finding) { return finding.kind == "data_race"; }

bool is_listed(const std::vector<Finding>& findings, const Finding& finding) {
  return std::ranges::any_of(findings, [&](const Finding& other) {
    return std::tie(other.kind, other.file, other.line) ==
           std::tie(finding.kind, finding.file, finding.line);
  });
}

const Finding* warning_of(const CaseReport& report) {
  if (report.outcome != Outcome::passed) return nullptr;
  const auto found = std::ranges::find_if(report.findings, is_mistake);
  return found == report.findings.end() ? nullptr : &*found;
}

std::string_view on_a_gpu(std::string_view kind) {
  const Kind* const known = find_kind(kind);
  return known == nullptr ? "Fix the mistake anyway." : known->on_a_gpu;
}

std::string place_of(const Finding& finding) {
  if (finding.file.empty()) return {};
  return finding.line > 0 ? fmt::format("{}:{}", finding.file, finding.line) : finding.file;
}

std::string text_of(const Finding& finding) {
  const std::string place = place_of(finding);
  return place.empty() ? finding.message : place + ": " + finding.message;
}

}  // namespace opgrade
