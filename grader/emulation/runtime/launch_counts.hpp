/// How often each kernel was launched and how: the emulated device's profile, which has no times.
#pragma once

#include <cstddef>

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

/// Counts a launch while a profile is recorded.
void count_launch(const char* kernel, const dim3& grid, const dim3& block, int static_shared,
                  std::size_t dynamic_shared);

}  // namespace opgrade_emulation
