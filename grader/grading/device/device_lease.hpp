/// A timed run's turn on its device.
#pragma once

#include <optional>
#include <string>

#include "grader/grading/device/core_lease.hpp"
#include "grader/grading/device/gpu_pool.hpp"
#include "grader/grading/device/timing_lock.hpp"

namespace opgrade {

/// Waits until nothing else is timed on the device. A timed run on a GPU has that device for
/// itself; any other timed run has the machine. Work that is not `timed`, such as a build, runs at
/// the same time. `listen` hears whom the run waits for.
std::optional<TimingLock> lock_for_timing(const GpuPool::Lease& lease, bool timed,
                                          const Listener& listen = {});

/// The cores of a timed run with so many threads, after its turn has come. Returns nullopt if the
/// run is not `timed`, names no number of threads (0), or the machine has fewer cores.
std::optional<CoreLease> lease_cores(int threads, bool timed, const Listener& listen = {});

/// Why a timed run may not have been alone, for its report; empty if it was alone.
std::string disturbed(const GpuPool::Lease& lease, const std::optional<TimingLock>& turn,
                      const std::optional<CoreLease>& cores = {});

}  // namespace opgrade
