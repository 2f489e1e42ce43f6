/// Turns events into the tables of a profile: pure computation.
#pragma once

#include <string>
#include <vector>

#include "grader/base/core/profile.hpp"
#include "grader/grading/profile/events.hpp"

namespace opgrade {

/// A computation in the order in which the harness was asked for it.
struct ProfiledLayer {
  std::string name;
  Coordinates shape;
  double flops = 0;  ///< its own operations
  double bytes = 0;  ///< of its inputs and its output
};

/// Calls of the harness's own thread between the steps are the grader's (waiting for the device,
/// waking it) and are left out. So are the device events that the adapters put around the conv
/// call. Driver calls made inside a runtime call are part of that call.
///
/// A kernel belongs to the step in which it was launched, whatever thread launched it and whenever
/// it ran. One launched in no step ran "between calls" and belongs to the layer before it.
ProfileReport tables_of(const ProfileEvents& events, const std::vector<ProfiledLayer>& layers);

/// Sorts the rows of one table by total, the longest first, with shares and the leading ones
/// marked.
void rank_rows(std::vector<ProfileTimeRow>& rows);

struct Occupancy {
  int blocks = 0;     ///< resident on one multiprocessor
  double warps = 0;   ///< resident over the most there can be, 0 to 1
  std::string limit;  ///< "registers", "shared memory", "threads", "blocks", or empty: full
};

/// Computes by the rules of the CUDA programming guide. Registers are given to whole warps in steps
/// of 256 and come from four equal files. Shared memory is given in steps of 128 bytes, plus 1 KiB
/// a block from compute capability 8.0 on. There are zero blocks if the device is not known or the
/// kernel does not fit.
Occupancy occupancy_of(const ProfileLaunch& kernel, const DeviceLimits& device);

}  // namespace opgrade
