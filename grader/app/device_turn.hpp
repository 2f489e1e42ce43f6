/// The device that a case wants, and its turn to run there.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "grader/app/case_run.hpp"
#include "grader/app/gpu_pool.hpp"
#include "grader/app/timing_lock.hpp"

namespace opgrade {

/// Where `context` is of a cuda stage: gives it the leased device, with one from `gpus` where the
/// lease has none (yet, or no more). Throws Error when there is none to be had. `log` is told whom
/// it waits for.
void use_device(CaseContext& context, GpuPool& gpus, GpuPool::Lease& lease,
                const std::function<void(const std::string&)>& log = {});

/// Waits until nothing else is timed there. A timed run on a GPU has that device for itself, others
/// the machine. Work that is not `timed` runs beside it, as builds do.
std::optional<TimingLock> take_turn(const GpuPool::Lease& lease, bool timed,
                                    const std::function<void(const std::string&)>& log = {});

/// Why a timed run may not have been alone, for its report; empty when it was.
std::string disturbed(const GpuPool::Lease& lease, const std::optional<TimingLock>& turn);

}  // namespace opgrade
