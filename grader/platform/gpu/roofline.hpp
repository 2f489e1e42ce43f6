/// This device's measured limits, for the roofline of a profile. A roof is the best of several
/// runs, warm; the ladder's rates (kernels/bench/unit_rates.hpp) are medians with a cold cache.
#pragma once

#include <optional>

#include "grader/base/core/profile.hpp"

namespace opgrade {

/// Measures once and remembers the result: a copy of 512 MiB on the device and a chain of fp32
/// multiply-adds on every multiprocessor, the best of five each. nullopt if opgrade was built
/// without CUDA or no device answers. The caller must have the device alone.
std::optional<ProfileCeilings> device_ceilings();

}  // namespace opgrade
