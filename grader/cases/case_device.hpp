/// The device that a case runs on.
#pragma once

#include "grader/cases/case_run.hpp"
#include "grader/device/gpu_pool.hpp"

namespace opgrade {

/// Where `context` is of a cuda stage: gives it the leased device, with one from `gpus` where the
/// lease has none (yet, or no more). Throws Error when there is none to be had. `listen` is told
/// whom it waits for; `launch` is GpuPool::take()'s.
void use_device(CaseContext& context, GpuPool& gpus, GpuPool::Lease& lease,
                const Listener& listen = {}, const GpuPool::Launch& launch = {});

}  // namespace opgrade
