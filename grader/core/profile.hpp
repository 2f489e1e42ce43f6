/// A submission's device activity, as tables: filled by `profile`, printed by the reports.
///
/// The events come from the submission's own process, so the numbers are for reading, not for the
/// verdict. Times are nanoseconds of the device's clock (kernels, memory operations) or of the
/// host's (calls); names are the submission's and went through printable().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grader/core/coordinates.hpp"

namespace opgrade {

/// All kernels, or all API calls, of one name.
struct ProfileTimeRow {
  std::string name;
  std::int64_t calls = 0;
  std::int64_t total_ns = 0, minimum_ns = 0, maximum_ns = 0;
  double share = 0;      ///< of the table's total, 0 to 1
  bool leading = false;  ///< in the shortest list whose shares together exceed 90 %

  double average_ns() const {
    return calls > 0 ? static_cast<double>(total_ns) / static_cast<double>(calls) : 0;
  }

  friend bool operator==(const ProfileTimeRow&, const ProfileTimeRow&) = default;
};

/// All copies of one direction, or all fills.
struct ProfileMemoryRow {
  std::string name;  ///< "copy pageable to device", "fill"
  std::int64_t calls = 0;
  std::int64_t bytes = 0, smallest = 0, largest = 0;
  std::int64_t total_ns = 0, minimum_ns = 0, maximum_ns = 0;

  double bytes_per_second() const {
    return total_ns > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(total_ns) : 0;
  }

  friend bool operator==(const ProfileMemoryRow&, const ProfileMemoryRow&) = default;
};

/// One way of launching one kernel: what it takes of a multiprocessor.
struct ProfileLaunchRow {
  std::string name;
  std::string step;  ///< "conv", "prolog", "epilog" or "between calls"
  int grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::int64_t calls = 0;
  int registers = 0;                                              ///< a thread
  std::int64_t static_shared = 0, dynamic_shared = 0, local = 0;  ///< bytes; local: a thread
  int blocks_per_multiprocessor = 0;
  double occupancy = 0;  ///< theoretical: resident warps over the most there can be; 0 if unknown
  std::string limited_by;

  friend bool operator==(const ProfileLaunchRow&, const ProfileLaunchRow&) = default;
};

/// One computation and what the device did for it.
struct ProfileLayerRow {
  std::string layer;
  Coordinates shape;
  std::int64_t kernels_ns = 0;  ///< some kernel of the timed call ran
  std::int64_t launches = 0;    ///< in the timed call
  std::int64_t outside_ns = 0;  ///< a kernel launched outside the call ran
  std::int64_t outside_launches = 0;
  double flops_per_second = 0;  ///< the task's own operations over kernels_ns
  double bytes_per_second = 0;  ///< inputs read once, the output written once

  friend bool operator==(const ProfileLayerRow&, const ProfileLayerRow&) = default;
};

/// Measured on the same device by the grader's own kernels.
struct ProfileCeilings {
  double fp32_flops_per_second = 0;  ///< a chain of multiply-adds, two operations each
  double copy_bytes_per_second = 0;  ///< a copy on the device, bytes read plus bytes written

  friend bool operator==(const ProfileCeilings&, const ProfileCeilings&) = default;
};

struct ProfileReport {
  std::string device;
  std::string source;   ///< what counted: "CUPTI", "the emulated device"; empty when nothing could
  bool timed = false;   ///< false: calls only, no times (the emulated device)
  std::string problem;  ///< why there is nothing, or not all; empty when all is well
  std::vector<ProfileTimeRow> kernels, calls;
  std::vector<ProfileMemoryRow> memory;
  std::vector<ProfileLaunchRow> launches;
  std::vector<ProfileLayerRow> layers;
  std::optional<ProfileCeilings> ceilings;

  friend bool operator==(const ProfileReport&, const ProfileReport&) = default;
};

}  // namespace opgrade
