/// The device that a case runs on.
#pragma once

#include "grader/cases/case_context.hpp"
#include "grader/device/gpu_pool.hpp"

namespace opgrade {

/// The leased device of a cuda stage, with one from `gpus` if the lease has none (yet, or no
/// more); nothing for other stages. Throws Error if no device can be had. `listen` is told whom it
/// waits for; `launch` is GpuPool::take()'s.
CaseDevice lease_device(const StageContext& stage, GpuPool& gpus, GpuPool::Lease& lease,
                        const Listener& listen = {}, const GpuPool::Launch& launch = {});

}  // namespace opgrade
