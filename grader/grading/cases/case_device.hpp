/// The device that a case runs on.
#pragma once

#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/device/gpu_pool.hpp"

namespace opgrade {

/// The leased devices of a cuda stage, as many as it asks for. They are leased from `gpus` if one
/// is missing, because none was leased yet or it has failed. Empty for other stages. Throws Error
/// if they cannot be had. `listen` is told whom it waits for; `launch` is GpuPool::take()'s, for
/// one device alone.
CaseDevice lease_device(const StageContext& stage, GpuPool& gpus, GpuPool::Leases& leases,
                        const Listener& listen = {}, const GpuPool::Launch& launch = {});

}  // namespace opgrade
