/// The devices that CUDA sees.
#pragma once

#include "grader/base/core/grade.hpp"

namespace opgrade {

/// Name and UUID of the device with this CUDA number. Throws Error if CUDA does not report them.
GpuId gpu_id(int device);

}  // namespace opgrade
