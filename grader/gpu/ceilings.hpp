/// This device's measured limits, for the roofline of a profile.
#pragma once

#include <optional>

#include "grader/core/profile.hpp"

namespace opgrade {

/// Measures once and remembers. A copy of 512 MiB on the device and a chain of fp32 multiply-adds
/// on every multiprocessor, the best of five each. Nothing where opgrade was built without CUDA or
/// no device answers. The device must be the caller's alone.
std::optional<ProfileCeilings> device_ceilings();

}  // namespace opgrade
