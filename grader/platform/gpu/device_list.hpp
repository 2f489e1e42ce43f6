/// The devices that CUDA sees.
#pragma once

#include "grader/base/core/grade.hpp"

namespace opgrade {

/// Name and UUID of CUDA's device of that number. Throws Error when CUDA does not tell.
GpuId gpu_id(int device);

}  // namespace opgrade
