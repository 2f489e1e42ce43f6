/// A timed run's turn on its device.
#pragma once

#include <optional>
#include <string>

#include "grader/device/gpu_pool.hpp"
#include "grader/device/timing_lock.hpp"

namespace opgrade {

/// Waits until nothing else is timed there. A timed run on a GPU has that device for itself, others
/// the machine. Work that is not `timed` runs beside it, as builds do. `listen` is told whom it
/// waits for.
std::optional<TimingLock> lock_for_timing(const GpuPool::Lease& lease, bool timed,
                                    const Listener& listen = {});

/// Why a timed run may not have been alone, for its report; empty when it was.
std::string disturbed(const GpuPool::Lease& lease, const std::optional<TimingLock>& turn);

}  // namespace opgrade
