/// Theoretical occupancy: how many blocks of a kernel fit on one multiprocessor, and what stops
/// the next one.
#pragma once

#include <string>

#include "grader/profile/events.hpp"

namespace opgrade {

struct Occupancy {
  int blocks = 0;     ///< resident on one multiprocessor
  double warps = 0;   ///< resident over the most there can be, 0 to 1
  std::string limit;  ///< "registers", "shared memory", "threads", "blocks", or empty: full
};

/// By the rules of the CUDA programming guide. Registers are given to whole warps in steps of 256
/// and come from four equal files. Shared memory is given in steps of 128 bytes, plus 1 KiB a block
/// from compute capability 8.0 on. Zero blocks where the device is not known or the kernel does not
/// fit.
Occupancy occupancy_of(const KernelEvent& kernel, const DeviceLimits& device);

}  // namespace opgrade
